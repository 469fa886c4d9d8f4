import { Schema } from "effect"
import { Parameters, ScheduleRequest } from "./Schedule.ts"

const decode = Schema.decodeUnknownSync(Schema.fromJsonString(ScheduleRequest))
const decodeParameters = Schema.decodeUnknownSync(Schema.fromJsonString(Parameters))

/** The definition of a schedule from its stored JSON, which was checked before it was stored. */
export const definitionOf = (text: string): ScheduleRequest => decode(text)

/** Parameters of a firing from their stored JSON. */
export const parametersOf = (text: string | null): Parameters => (text === null ? {} : decodeParameters(text))

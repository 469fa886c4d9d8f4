import { Schema } from "effect"
import { Parameters, ScheduleRequest, type StoredSchedule } from "./Schedule.ts"
import type { StoredRow } from "./ScheduleStore.ts"

const decode = Schema.decodeUnknownSync(Schema.fromJsonString(ScheduleRequest))
const decodeParameters = Schema.decodeUnknownSync(Schema.fromJsonString(Parameters))

/** The definition of a schedule from its stored JSON, which was checked before it was stored. */
export const definitionOf = (text: string): ScheduleRequest => decode(text)

/** Parameters of a firing from their stored JSON. */
export const parametersOf = (text: string | null): Parameters => (text === null ? {} : decodeParameters(text))

const isoOf = (time: number | null) => (time === null ? null : new Date(time).toISOString())

const faultOf = ({ hasFlowline, hasFirst, fault, definition }: StoredRow): string | null => {
  if (!hasFlowline) return "Its flowline was deleted: send the schedule with another one, or delete it"
  if (hasFirst) return fault
  const { schedule } = definitionOf(definition).trigger.after ?? {}
  const first = schedule === undefined ? "flowline" : `schedule ${JSON.stringify(schedule)}`
  return `The ${first} that it comes after was deleted: send the schedule with another trigger, or delete it`
}

/** A stored schedule as answers show it. */
export const shown = (row: StoredRow): StoredSchedule => ({
  name: row.name,
  ...definitionOf(row.definition),
  paused: row.paused,
  next: row.paused ? null : isoOf(row.nextAt),
  fault: faultOf(row),
  createdAt: row.createdAt,
  changedAt: row.changedAt
})

import { Option, Schema } from "effect"
import { Flowline } from "../../protocol/Flowline.ts"

/** Decodes a flowline from its stored JSON. The settings of its nodes are decoded by the run. */
export const decodeStored = Schema.decodeUnknownResult(Schema.fromJsonString(Flowline))

const decodeRuntime = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Struct({ runtime: Schema.String })))

/** The runtime of a stored flowline. */
export const runtimeOf = (dag: string): string =>
  Option.match(decodeRuntime(dag), { onNone: () => "stream", onSome: ({ runtime }) => runtime })

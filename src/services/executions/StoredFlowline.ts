import { Option, Schema } from "effect"
import { Flowline } from "../../protocol/Flowline.ts"

/** A flowline out of its stored JSON text. What its nodes' settings mean is left to whoever runs it. */
export const decodeStored = Schema.decodeUnknownResult(Schema.fromJsonString(Flowline))

const decodeRuntime = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Struct({ runtime: Schema.String })))

/** The runtime that a stored definition names. */
export const runtimeOf = (dag: string): string =>
  Option.match(decodeRuntime(dag), { onNone: () => "stream", onSome: ({ runtime }) => runtime })

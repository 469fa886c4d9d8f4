import { Option, Predicate, Result, Schema } from "effect"
import { Flowline } from "../../protocol/Flowline.ts"
import type { KeptValues } from "../../protocol/Parameters.ts"
import { filledFlowline, keptValueOf, mayRefer } from "../../protocol/ValueReferences.ts"

const decodeJson = Schema.decodeUnknownResult(Schema.fromJsonString(Schema.Unknown))
const decodeFlowline = Schema.decodeUnknownResult(Flowline)

/**
 * Decodes a flowline from its stored JSON, with the values that its execution has kept. The settings of its nodes are
 * decoded by the run.
 */
export const decodeStored = (dag: string, kept?: KeptValues) =>
  Result.flatMap(decodeJson(dag), (stored) => {
    if (!mayRefer(dag)) return decodeFlowline(stored)
    const declared = Predicate.isObject(stored) ? stored["parameters"] : undefined
    const { parameters = {}, variables = {} } = kept ?? {}
    return decodeFlowline(
      filledFlowline(stored, keptValueOf(Predicate.isObject(declared) ? declared : {}, parameters, variables))
    )
  })

const decodeRuntime = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Struct({ runtime: Schema.String })))

/** The runtime of a stored flowline. */
export const runtimeOf = (dag: string): string =>
  Option.match(decodeRuntime(dag), { onNone: () => "stream", onSome: ({ runtime }) => runtime })

import { Option, Predicate, Result, Schema } from "effect"
import { componentOf, Flowline } from "../../protocol/Flowline.ts"
import type { KeptValues } from "../../protocol/Parameters.ts"
import { RunTrigger, TriggerBody, UnusableTrigger, withTrigger } from "../../protocol/Trigger.ts"
import { filledFlowline, keptValueOf, mayRefer } from "../../protocol/ValueReferences.ts"
import { checkCeilings } from "../flowlines/validation/Validation.ts"
import type { RunCeilings } from "../shared/settings/Settings.ts"
import type { Claim } from "./ExecutionStore.ts"

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

/** Whether a stored flowline declares parameters. */
export const declaresParameters = (dag: string): boolean => {
  const stored = Result.getOrUndefined(decodeJson(dag))
  return Predicate.isObject(stored) && stored["parameters"] !== undefined
}

/** Decode what started an execution from its stored JSON. */
const decodeTrigger = Schema.decodeUnknownSync(Schema.fromJsonString(RunTrigger))
export const decodeBody = Schema.decodeUnknownSync(Schema.fromJsonString(TriggerBody))

const decodeRuntime = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Struct({ runtime: Schema.String })))

/** The runtime of a stored flowline. */
export const runtimeOf = (dag: string): string =>
  Option.match(decodeRuntime(dag), { onNone: () => "stream", onSome: ({ runtime }) => runtime })

/** The flowline with what started the execution in place of the references to it, or why it cannot run. */
const triggeredFlowline = (flowline: Flowline, trigger: RunTrigger | undefined): Result.Result<Flowline, string> => {
  type Node = Flowline["dag"][0]
  const faults: Array<string> = []
  const filled = (node: Node): Node => {
    const settings = Object.entries(node.settings).map(([name, setting]) => {
      try {
        return [name, withTrigger(setting, trigger)]
      } catch (error) {
        if (!(error instanceof UnusableTrigger)) throw error
        faults.push(`${componentOf(node)}: ${name}: ${error.message}`)
        return [name, setting]
      }
    })
    return { ...node, settings: Object.fromEntries(settings) }
  }
  const [first, ...rest] = flowline.dag
  const made: Flowline = { ...flowline, dag: [filled(first), ...rest.map(filled)] }
  return faults[0] === undefined ? Result.succeed(made) : Result.fail(faults[0])
}

/** The flowline that an execution runs, with what started it, or why it cannot run. */
export const flowlineOf = (
  claim: Pick<Claim, "dag" | "kept" | "trigger">,
  ceilings: RunCeilings
): Result.Result<{ readonly flowline: Flowline; readonly trigger: RunTrigger | undefined }, string> => {
  // A flowline that an older version of the gateway has stored may not be valid now.
  const stored = decodeStored(claim.dag, claim.kept)
  if (Result.isFailure(stored)) return Result.fail(`the stored flowline cannot be read: ${stored.failure.message}`)
  // The flowline may be older than the operator's present ceilings.
  const [over] = checkCeilings(stored.success, ceilings)
  if (over !== undefined) return Result.fail(`/${over.path.join("/")}: ${over.detail}`)
  const trigger = claim.trigger === null ? undefined : decodeTrigger(claim.trigger)
  return Result.map(triggeredFlowline(stored.success, trigger), (flowline) => ({ flowline, trigger }))
}

import { Result } from "effect"
import {
  type Comparison,
  type ConditionCounts,
  type ConditionFault,
  parseFailCondition,
  type Quantity,
  whyFails
} from "../../languages/FailCondition.ts"
import { listed, suggestion } from "../../languages/Suggest.ts"
import { componentOf, type DagNode, type Flowline } from "../../protocol/Flowline.ts"
import type { NodeCounters } from "../../protocol/RunProtocol.ts"
import { catalogue } from "../Catalogue.ts"
import type { NodeType } from "../Node.ts"

/** Maximum number of reasons that are told, and of UTF-16 units in each. */
const maxReasons = 10
const maxReason = 300

/** What a run has done with its records. `read` counts those of all inputs, `written` those that outputs have taken. */
interface Counts {
  readonly read: number
  readonly written: number
  /** Records that nodes have rejected, whether they were published as errors or not. */
  readonly rejected: number
  /** Records that nodes such as filters have not passed on. */
  readonly dropped: number
}

/** What came of a run that has succeeded. `nothing`: no record was written. `warnings`: not all went well. */
type OutcomeWord = "ok" | "warnings" | "nothing"

/** The counts of a run, and what came of it with the reasons in sentences. */
export interface Outcome {
  readonly outcome: OutcomeWord
  readonly counts: Counts
  readonly reasons: ReadonlyArray<string>
}

interface Told {
  readonly kind: NodeType["kind"]
  readonly counters: NodeCounters
  readonly component: string
  /** Records that the node has received, or that an input has read. */
  readonly records: number
}

/** A node that is not in the catalogue is the tenant's own, which processes. */
const kindOf = ({ type }: Pick<DagNode, "type">): NodeType["kind"] => catalogue.get(type)?.kind ?? "processing"

const nothingCounted = (component: string): NodeCounters => ({ component, recordsIn: 0, recordsOut: 0, errors: 0 })

const toldBy = ({ dag }: Pick<Flowline, "dag">, nodes: ReadonlyArray<NodeCounters>): ReadonlyArray<Told> => {
  const found = new Map(nodes.map((counters) => [counters.component, counters]))
  return dag.map((node) => {
    const component = componentOf(node)
    const counters = found.get(component) ?? nothingCounted(component)
    const kind = kindOf(node)
    const records = kind === "input" ? counters.recordsOut + counters.errors : counters.recordsIn
    return { kind, counters, component, records }
  })
}

/**
 * Adds to the counters what follows from the effect of the node. `parses`: what it does not reject has matched.
 * `selects`: what it does not pass on is dropped. `enriches` and `reads files`: it has counted itself.
 */
export const withEffects = (
  { dag }: Pick<Flowline, "dag">,
  nodes: ReadonlyArray<NodeCounters>
): ReadonlyArray<NodeCounters> => {
  const effects = new Map(dag.map((node) => [componentOf(node), catalogue.get(node.type)?.effect]))
  return nodes.map((counters) => {
    const { recordsIn, recordsOut, errors } = counters
    switch (effects.get(counters.component)) {
      case "parses":
        return { ...counters, matched: Math.max(0, recordsIn - errors), unmatched: errors }
      case "selects":
        return { ...counters, dropped: Math.max(0, recordsIn - recordsOut - errors) }
      default:
        return counters
    }
  })
}

const sum = (told: ReadonlyArray<Told>, count: (one: Told) => number): number =>
  told.reduce((total, one) => total + count(one), 0)

const writtenBy = ({ kind, counters }: Told): number =>
  kind === "output" ? Math.max(0, counters.recordsIn - counters.errors) : 0

const countsOf = (told: ReadonlyArray<Told>): Counts => ({
  read: sum(told, ({ kind, records }) => (kind === "input" ? records : 0)),
  written: sum(told, writtenBy),
  rejected: sum(told, ({ counters }) => counters.errors),
  dropped: sum(told, ({ counters }) => counters.dropped ?? 0)
})

const records = (count: number): string => (count === 1 ? "1 record" : `${count} records`)

/** What is remarkable about a node, as a sentence. */
const reasonOf = ({ kind, counters, component, records: all }: Told): string | undefined => {
  const { errors, lastError, files, matched, unmatched, warning, failedReloads = 0 } = counters
  const why = lastError === undefined ? "" : `: ${lastError}`
  if (errors > 0)
    return `${component} rejected ${errors >= all ? `all ${records(errors)}` : `${errors} of ${records(all)}`}${why}`
  if (files === 0) return `${component} found no file to read`
  if (kind === "input" && all === 0) return `${component} read no record`
  if (all > 0 && matched === 0 && unmatched !== undefined) return `${component} matched none of ${records(all)}`
  if (failedReloads > 0) return `${component} could not use a changed table, and kept the former one`
  if (warning !== undefined) return `${component}: ${warning}`
  return undefined
}

/** Why nothing was written, where no node says it. */
const nothingReasons = (told: ReadonlyArray<Told>): ReadonlyArray<string> => [
  ...told
    .filter(({ counters, records }) => records > 0 && counters.dropped === records)
    .map(({ component, records: all }) => `${component} dropped all ${records(all)}`),
  "no record reached an output"
]

/** What came of a run whose nodes have counted so much. */
export const outcomeOf = (flowline: Pick<Flowline, "dag">, nodes: ReadonlyArray<NodeCounters>): Outcome => {
  const told = toldBy(flowline, nodes)
  const counts = countsOf(told)
  const hasOutput = told.some(({ kind }) => kind === "output")
  const isNothing = hasOutput ? counts.written === 0 : counts.read === 0
  const reasons = [...told.flatMap((one) => reasonOf(one) ?? []), ...(isNothing ? nothingReasons(told) : [])]
  const shown = reasons.slice(0, maxReasons).map((reason) => reason.slice(0, maxReason))
  const others = reasons.length - shown.length
  return {
    outcome: isNothing ? "nothing" : reasons.length > 0 ? "warnings" : "ok",
    counts,
    reasons: others > 0 ? [...shown, `and ${others} more`] : shown
  }
}

const countOf = ({ counters, records, kind }: Told, quantity: Quantity): number => {
  switch (quantity) {
    case "records":
    case "read":
      return records
    case "written":
      return kind === "output" ? Math.max(0, counters.recordsIn - counters.errors) : counters.recordsOut
    case "rejected":
      return counters.errors
    default:
      return counters[quantity] ?? 0
  }
}

const counted = (told: ReadonlyArray<Told>, { component, quantity }: Comparison): ConditionCounts => {
  const own = told.find((one) => one.component === component)
  if (own !== undefined) return { count: countOf(own, quantity), records: own.records }
  const { read, ...counts } = countsOf(told)
  const count =
    quantity === "records" || quantity === "read"
      ? read
      : quantity === "written" || quantity === "rejected" || quantity === "dropped"
        ? counts[quantity]
        : sum(told, ({ counters }) => counters[quantity] ?? 0)
  return { count, records: read }
}

/** Why the run fails although its nodes did not: the first condition of `settings.failWhen` that holds. */
export const failureOf = (
  flowline: Pick<Flowline, "dag" | "settings">,
  nodes: ReadonlyArray<NodeCounters>
): string | undefined => {
  const { failWhen = [] } = flowline.settings
  if (failWhen.length === 0) return undefined
  const told = toldBy(flowline, nodes)
  for (const text of failWhen) {
    const condition = parseFailCondition(text)
    const why = Result.isSuccess(condition) ? whyFails(condition.success, (one) => counted(told, one)) : undefined
    if (why !== undefined) return `settings.failWhen ends this run as failed: ${text.trim()} (${why})`
  }
  return undefined
}

/** What each kind of node counts besides its records. */
const countedBy = (type: NodeType | undefined): ReadonlyArray<Quantity> => {
  const effect = type?.effect
  return [
    "records",
    "read",
    "written",
    "rejected",
    ...(effect === "selects" ? (["dropped"] as const) : []),
    ...(effect === "parses" || effect === "enriches" ? (["matched", "unmatched"] as const) : []),
    ...(type?.effect === "reads files" ? (["files"] as const) : [])
  ]
}

/** The fault of a condition of a flowline with these nodes. */
export const conditionFault = (
  text: string,
  nodes: ReadonlyArray<{ readonly component: string | undefined; readonly type: string | undefined }>
): ConditionFault | undefined => {
  const parsed = parseFailCondition(text)
  if (Result.isFailure(parsed)) return parsed.failure
  for (const { component, quantity, column } of parsed.success.flat()) {
    if (component === undefined) continue
    const node = nodes.find((one) => one.component === component)
    if (node === undefined) {
      const near = suggestion(
        component,
        nodes.flatMap(({ component: name }) => name ?? [])
      )
      return { column, detail: `There is no component ${JSON.stringify(component)}${near}` }
    }
    const known = countedBy(catalogue.get(node.type ?? ""))
    if (!known.includes(quantity)) {
      const detail = `${component} does not count ${quantity}: it counts ${listed(known)}`
      return { column: column + component.length + 1, detail }
    }
  }
  return undefined
}

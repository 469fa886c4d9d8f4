import { Result, Schema } from "effect"
import { componentOf, type Flowline, type Runtime } from "../protocol/Flowline.ts"
import type { Reference } from "../protocol/References.ts"
import type { Need, RootUse } from "./Capabilities.ts"
import { datasetGenerator } from "./inputs/DatasetGenerator.ts"
import { fileInput } from "./inputs/FileInput.ts"
import { generatorInput } from "./inputs/GeneratorInput.ts"
import { httpInput } from "./inputs/HttpInput.ts"
import { httpPollInput } from "./inputs/HttpPollInput.ts"
import { searchInput } from "./inputs/SearchInput.ts"
import { sqlInput } from "./inputs/SqlInput.ts"
import { syslogInput } from "./inputs/SyslogInput.ts"
import { triggerInput } from "./inputs/TriggerInput.ts"
import type { NodeType } from "./Node.ts"
import { archiveOutput } from "./outputs/ArchiveOutput.ts"
import { extractionOutput } from "./outputs/ExtractionOutput.ts"
import { fileOutput } from "./outputs/FileOutput.ts"
import { httpOutput } from "./outputs/HttpOutput.ts"
import { searchOutput } from "./outputs/SearchOutput.ts"
import { show } from "./outputs/Show.ts"
import { sqlOutput } from "./outputs/SqlOutput.ts"
import { aggregate } from "./processing/Aggregate.ts"
import { csv } from "./processing/Csv.ts"
import { date } from "./processing/Date.ts"
import { deduplicate } from "./processing/Deduplicate.ts"
import { dispatch } from "./processing/Dispatch.ts"
import { dissect } from "./processing/Dissect.ts"
import { enrich } from "./processing/Enrich.ts"
import { filter } from "./processing/Filter.ts"
import { flowlet } from "./processing/Flowlet.ts"
import { geoip } from "./processing/GeoIp.ts"
import { grok } from "./processing/Grok.ts"
import { join } from "./processing/Join.ts"
import { json } from "./processing/Json.ts"
import { kv } from "./processing/Kv.ts"
import { mutate } from "./processing/Mutate.ts"
import { pii } from "./processing/Pii.ts"
import { rateLimit } from "./processing/RateLimit.ts"
import { sample } from "./processing/Sample.ts"
import { sort } from "./processing/Sort.ts"
import { sql } from "./processing/Sql.ts"
import { userAgent } from "./processing/UserAgent.ts"
import { settingsSchema } from "./settings/SettingsSchema.ts"

// One line for each node.
const nodes: ReadonlyArray<NodeType> = [
  generatorInput,
  datasetGenerator,
  fileInput,
  searchInput,
  sqlInput,
  syslogInput,
  httpInput,
  triggerInput,
  httpPollInput,
  grok,
  dissect,
  flowlet,
  kv,
  csv,
  json,
  date,
  mutate,
  deduplicate,
  sample,
  sort,
  join,
  pii,
  filter,
  dispatch,
  enrich,
  geoip,
  userAgent,
  aggregate,
  sql,
  rateLimit,
  show,
  fileOutput,
  archiveOutput,
  searchOutput,
  sqlOutput,
  extractionOutput,
  httpOutput
]

/** Every built-in node by its type. */
export const catalogue: ReadonlyMap<string, NodeType> = new Map(nodes.map((node) => [node.type, node]))

/** The nodes that a runtime offers. */
export const nodesOf = (runtime: Runtime): ReadonlyArray<NodeType> =>
  nodes.filter((node) => node.runtimes.includes(runtime))

/** What is known of a node of a flowline. */
interface Placed {
  readonly type: string
  readonly settings?: unknown
}

/**
 * What a member of a node's type answers for the node's settings. Undefined where the type has no such member, and
 * where the settings are not valid.
 */
export const asked = <A, More extends ReadonlyArray<unknown>>(
  node: Placed,
  member: (type: NodeType) => ((settings: unknown, ...more: More) => A) | undefined,
  ...more: More
): A | undefined => {
  const type = catalogue.get(node.type)
  const ask = type && member(type)
  if (type === undefined || ask === undefined) return undefined
  const settings = Schema.decodeUnknownResult(type.settings)(node.settings)
  return Result.isFailure(settings) ? undefined : ask(settings.success, ...more)
}

/** What the nodes of a flowline answer, with their components; nodes without an answer are left out. */
const answers = <A>(
  { dag }: Flowline,
  member: (type: NodeType) => ((settings: unknown) => A | undefined) | undefined
): ReadonlyArray<{ readonly component: string; readonly answer: A }> =>
  dag.flatMap((node) => {
    const answer = asked(node, member)
    return answer === undefined ? [] : [{ component: componentOf(node), answer }]
  })

/** A reference and the node that needs it; a reference in the flowline's settings has no component. */
export interface FlowlineReference {
  readonly reference: Reference
  readonly component?: string
}

/** Everything that a flowline refers to in the tenant's registry and artifacts. */
export const references = (flowline: Flowline): ReadonlyArray<FlowlineReference> => [
  ...(flowline.settings.resources ?? []).map((resource) => ({ reference: { resource } })),
  ...answers(flowline, (type) => type.references).flatMap(({ component, answer }) =>
    answer.map((reference) => ({ reference, component }))
  )
]

/** The files that the flowline's runs append to: see `fileKey` in protocol/Roots. */
export const appendedFiles = (
  flowline: Flowline
): ReadonlyArray<{ readonly component: string; readonly path: string }> =>
  flowline.runtime === "analytics"
    ? []
    : answers(flowline, (type) => type.appends).map(({ component, answer }) => ({ component, path: answer }))

/** The roots that the flowline names. */
export const rootsOf = (flowline: Flowline): ReadonlyArray<RootUse & { readonly component: string }> =>
  answers(flowline, (type) => type.roots).map(({ component, answer }) => ({ component, ...answer }))

/** Whether a later attempt reads again what came after the saved positions, so that its outputs may be cut there. */
export const canRepeat = ({ dag }: Flowline): boolean => !dag.some(({ type }) => catalogue.get(type)?.isLive === true)

/** Whether an input of the flowline goes on at its position in a later attempt. */
export const keepsPositions = ({ dag }: Flowline): boolean =>
  dag.some((node) => asked(node, (type) => type.keepsPosition) === true)

/** Whether a node of the flowline leaves something to the next execution. */
export const carries = ({ dag }: Flowline): boolean => dag.some((node) => asked(node, (type) => type.carries) === true)

/** Whether a node needs this. Without settings: whether it may. */
export const isNeeding = (node: Placed, need: Need): boolean => {
  const type = catalogue.get(node.type)
  if (type?.needs?.includes(need) !== true) return false
  return type.isNeeding === undefined || node.settings === undefined || asked(node, () => type.isNeeding) === true
}

/** Whether a node of the flowline needs this. */
export const needs = ({ dag }: { readonly dag: ReadonlyArray<Placed> }, need: Need): boolean =>
  dag.some((node) => isNeeding(node, need))

/** The node's entry in the scan's answer. */
export const descriptor = (node: NodeType) => ({
  type: node.type,
  kind: node.kind,
  description: node.description,
  runtimes: node.runtimes,
  settings: settingsSchema(node),
  inputs: node.inputs,
  outputs: node.outputs,
  source: "builtin",
  example: node.example
})

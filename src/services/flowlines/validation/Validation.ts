import { Predicate, Result, Schema } from "effect"
import type { TenantDefinitions } from "../../../languages/grok/TenantDefinitions.ts"
import { schemaFaults } from "../../../languages/SchemaFaults.ts"
import { listed, suggestion } from "../../../languages/Suggest.ts"
import { catalogue, nodesOf } from "../../../nodes/Catalogue.ts"
import { checkSettings } from "../../../nodes/Checks.ts"
import { conditionFault } from "../../../nodes/flowline/Outcome.ts"
import { split } from "../../../nodes/flowline/Split.ts"
import type { NodeType, Surroundings } from "../../../nodes/Node.ts"
import { Flowline, type Runtime } from "../../../protocol/Flowline.ts"
import { ownRoots, type Roots } from "../../../protocol/Roots.ts"
import { kindOf } from "../../scan/JsonSchema.ts"
import { noOwnNodes, type OwnNodes } from "../../scan/OwnNodes.ts"
import { strict } from "../../shared/requests/RequestProblems.ts"
import { rootFault } from "../../shared/settings/RootRules.ts"
import type { RunCeilings } from "../../shared/settings/Settings.ts"
import type { TenantId } from "../../shared/Tenant.ts"
import type { Finding } from "./Finding.ts"
import { checkGraph } from "./GraphCheck.ts"
import { type OutlineNode, outline } from "./Outline.ts"
import { checkSecrets } from "./SecretCheck.ts"
import { checkTests } from "./TestCheck.ts"

const at = (value: unknown, path: ReadonlyArray<PropertyKey>): unknown =>
  path.reduce<unknown>(
    (inner, key) =>
      Predicate.isObjectOrArray(inner) && Object.hasOwn(inner, key) ? Reflect.get(inner, key) : undefined,
    value
  )

/** Decodes and reports all faults at once. */
const decode = <S extends Schema.ConstraintDecoder<unknown>>(
  schema: S,
  value: unknown,
  base: ReadonlyArray<PropertyKey>
): Result.Result<S["Type"], ReadonlyArray<Finding>> => {
  const decoded = Schema.decodeUnknownResult(schema, strict)(value)
  if (Result.isSuccess(decoded)) return Result.succeed(decoded.success)
  return Result.fail(
    schemaFaults(decoded.failure.issue).map(({ path: keys, detail, key }): Finding => {
      const path = [...base, ...keys]
      if (key === true) return { path, detail, key }
      const found = at(value, keys)
      // The schemas' internal names mean nothing to the author of the file.
      const expected = detail.replace(
        /^Expected (Flowline|DagNode|Subscription|Publication|RunSettings|Parameters?|FlowlineTest|Expectation)$/,
        "Expected object"
      )
      const mistyped = expected.startsWith("Expected ") && found !== undefined && !expected.includes(", got ")
      return { path, detail: mistyped ? `${expected}, found ${describe(found)}` : expected }
    })
  )
}

/** A value in a message; long ones are described. */
const describe = (value: unknown): string => {
  const text = typeof value === "object" ? undefined : JSON.stringify(value)
  return text === undefined || text.length > 40 ? kindOf(value) : text
}

/** Finds settings that ask for more than the operator allows a run. */
export const checkCeilings = (flowline: unknown, { memoryMib, seconds }: RunCeilings): ReadonlyArray<Finding> => {
  const ceilings = [
    { name: "memory_mib", most: memoryMib, setting: "FLOW_RUN_MEMORY" },
    { name: "timeout_seconds", most: seconds, setting: "FLOW_RUN_SECONDS" }
  ]
  return ceilings.flatMap(({ name, most, setting }) => {
    const path = ["settings", name]
    const asked = at(flowline, path)
    if (typeof asked !== "number" || asked <= most) return []
    return [{ path, detail: `This gateway allows a run at most ${most} (${setting}), found ${asked}` }]
  })
}

/** The data that {@link validate} has besides the flowline; without one of them, its checks are skipped. */
interface Known {
  /** The tenant's own nodes. */
  readonly own?: OwnNodes
  readonly tenant?: TenantId | undefined
  /** The tenant's grok patterns. */
  readonly patterns?: TenantDefinitions | undefined
  /** The operator's limits for runs. */
  readonly ceilings?: RunCeilings | undefined
  /** The roots that the operator gives the tenant. */
  readonly roots?: Roots | undefined
  /** The ports that the gateway itself listens on. */
  readonly ownPorts?: ReadonlyArray<number> | undefined
}

/** The decoded flowline, or all its faults. */
export const validate = (
  value: unknown,
  { own = noOwnNodes, patterns, tenant, ceilings, roots, ownPorts }: Known = {}
): Result.Result<Flowline, ReadonlyArray<Finding>> => {
  const decoded = decode(Flowline, value, [])
  const { runtime, nodes } = outline(value)
  const findings: Array<Finding> = Result.isFailure(decoded) ? [...decoded.failure] : []
  const known = nodes.map((node, index) => readNode(node, index, own))
  nodes.forEach((node, index) => {
    findings.push(...checkType(node, index, runtime, own))
    findings.push(...checkNode(node, index, known[index], { runtime, patterns, tenant, roots, ownPorts }))
  })
  const graph = nodes.map((node) => ({ ...node, type: typeOf(node.type ?? "", own) }))
  for (const { path, detail } of checkGraph(graph)) findings.push({ path: ["dag", ...path], detail })
  findings.push(...checkTargets(nodes, known))
  findings.push(...checkSecrets(value))
  findings.push(...checkTests(value, graph))
  if (ceilings !== undefined) findings.push(...checkCeilings(value, ceilings))
  findings.push(...checkFailWhen(value, nodes))
  if (runtime === "stream" && Result.isSuccess(decoded) && decoded.success.settings.retry !== undefined) {
    const detail = "Only batch runtimes, analytics and pybatch, run again: a stream would send its records twice"
    findings.push({ path: ["settings", "retry"], detail })
  }
  if (Result.isSuccess(decoded) && (decoded.success.settings.parallelism ?? 1) > 1) {
    const parts = split(decoded.success)
    if (Result.isFailure(parts)) findings.push({ path: ["settings", "parallelism"], detail: parts.failure })
  }
  if (findings.length > 0 || Result.isFailure(decoded)) return Result.fail(findings)
  return decoded
}

/** Finds conditions of `settings.failWhen` that cannot be read, or that name what is not there. */
const checkFailWhen = (value: unknown, nodes: ReadonlyArray<OutlineNode>): ReadonlyArray<Finding> => {
  const conditions = at(value, ["settings", "failWhen"])
  if (!Array.isArray(conditions)) return []
  return conditions.slice(0, 20).flatMap((text: unknown, index): ReadonlyArray<Finding> => {
    const fault = typeof text === "string" ? conditionFault(text, nodes) : undefined
    if (fault === undefined) return []
    const { column, detail } = fault
    return [{ path: ["settings", "failWhen", index], detail, inside: { line: 1, column } }]
  })
}

const typeOf = (type: string, own: OwnNodes): NodeType | undefined => catalogue.get(type) ?? own.types.get(type)

const checkType = (
  { type }: OutlineNode,
  index: number,
  runtime: Runtime | undefined,
  own: OwnNodes
): ReadonlyArray<Finding> => {
  if (type === undefined) return []
  const path = ["dag", index, "type"]
  const found = typeOf(type, own)
  if (found === undefined) {
    if (own.isUnknown && runtime === "pybatch") return []
    const usable = [...own.types.values()].filter((node) => runtime === undefined || node.runtimes.includes(runtime))
    const known = [...(runtime === undefined ? catalogue.values() : nodesOf(runtime)), ...usable].map(
      ({ type }) => type
    )
    const where = runtime === undefined ? "The nodes are" : `The nodes of ${runtime} are`
    const named = known.find((name) => typeOf(name, own)?.aliases?.includes(type.toLowerCase()))
    const near = suggestion(type, named === undefined ? known : [named]) || (named && `; did you mean "${named}"?`)
    const broken =
      own.broken.length === 0 ? "" : `. It may be in what cannot be read: ${own.broken.slice(0, 3).join("; ")}`
    return [
      { path, detail: `There is no node ${JSON.stringify(type)}${near || "."} ${where} ${listed(known)}${broken}` }
    ]
  }
  if (runtime === undefined || found.runtimes.includes(runtime)) return []
  return [{ path, detail: `${type} is not a node of ${runtime}, but of ${listed(found.runtimes)}` }]
}

/** A node of a known type, and its decoded settings. */
interface KnownNode {
  readonly type: NodeType
  readonly findings: ReadonlyArray<Finding>
  /** The decoded settings without the faulty ones; a failure when one of these is required. */
  readonly settings: Result.Result<unknown, unknown>
}

const settingsPath = (index: number) => ["dag", index, "settings"]

const readNode = ({ type: name, settings }: OutlineNode, index: number, own: OwnNodes): KnownNode | undefined => {
  const type = typeOf(name ?? "", own)
  if (type === undefined || settings === undefined) return undefined
  const base = settingsPath(index)
  const decoded = decode(type.settings, settings, base)
  if (Result.isSuccess(decoded)) return { type, findings: [], settings: decoded }
  const findings = decoded.failure.map((finding) => {
    const place = finding.path.length === base.length + 1 ? String(finding.path.at(-1)) : ""
    const other =
      type.elsewhere !== undefined && Object.hasOwn(type.elsewhere, place) ? type.elsewhere[place] : undefined
    return other === undefined ? finding : { ...finding, detail: `${finding.detail}. It is a setting of ${other}` }
  })
  // The other settings are still checked, so that one fault does not hide another.
  const faulty = new Set(findings.map(({ path }) => path[base.length]))
  const sound = Object.fromEntries(Object.entries(settings).filter(([name]) => !faulty.has(name)))
  return { type, findings, settings: Schema.decodeUnknownResult(type.settings)(sound) }
}

const checkNode = (
  { publish }: OutlineNode,
  index: number,
  known: KnownNode | undefined,
  surroundings: Surroundings
): ReadonlyArray<Finding> => {
  if (known === undefined) return []
  const { type, findings, settings } = known
  if (Result.isFailure(settings)) return findings
  const base = settingsPath(index)
  const faulty = new Set(findings.map(({ path }) => String(path[base.length])))
  const root = type.roots?.(settings.success)
  const fault = root === undefined || surroundings.roots === undefined ? undefined : rootFault(root, surroundings.roots)
  return [
    ...findings,
    ...(fault === undefined ? [] : [{ path: [...base, "root"], detail: fault }]),
    ...checkSettings(type, settings.success, { ...surroundings, faulty }).map(
      ({ path, detail, key, line, column }) => ({
        path: [...base, ...path],
        detail,
        ...(key === undefined ? {} : { key }),
        ...(line === undefined ? {} : { inside: { line, column: column ?? 1 } })
      })
    ),
    ...(type.streams?.(settings.success) ?? [])
      .filter(({ stream }) => publish?.every((publication) => publication.stream !== stream) === true)
      .map(({ stream, path }) => ({
        path: [...base, ...path],
        detail: `The node does not publish the stream ${JSON.stringify(stream)}`
      }))
  ]
}

/** Finds nodes that write the same entry or file, because one would replace the output of the other. */
const checkTargets = (
  nodes: ReadonlyArray<OutlineNode>,
  known: ReadonlyArray<KnownNode | undefined>
): ReadonlyArray<Finding> => {
  const written = new Map<string, number>()
  return known.flatMap((node, index): ReadonlyArray<Finding> => {
    if (node === undefined || Result.isFailure(node.settings)) return []
    const target = node.type.target?.(node.settings.success, nodes[index]?.component ?? "")
    if (target === undefined) return []
    const { place, name, setting, storage } = target
    const root = storage?.root === ownRoots.data ? undefined : storage?.root
    const key = JSON.stringify([place, name, root ?? storage?.s3?.endpoint])
    const first = written.get(key)
    if (first === undefined) {
      written.set(key, index)
      return []
    }
    const other = nodes[first]?.component ?? `node ${first + 1}`
    const path = setting === undefined ? ["dag", index] : [...settingsPath(index), setting]
    return [{ path, detail: `${JSON.stringify(other)} writes ${JSON.stringify(name)} already` }]
  })
}

import * as Predicate from "effect/Predicate"
import { mayTakeLong } from "../../../languages/grok/CompileTime.ts"
import type { Relation } from "../../../nodes/Capabilities.ts"
import { catalogue, needs } from "../../../nodes/Catalogue.ts"
import { maxNodes, maxWires, type Runtime, runtimes } from "../../../protocol/Flowline.ts"

/** The readable parts of a node whose definition may be faulty. */
export interface OutlineNode {
  readonly type: string | undefined
  readonly component: string | undefined
  readonly named: boolean
  readonly settings: Record<string, unknown> | undefined
  readonly subscribe: ReadonlyArray<{ readonly component?: string; readonly stream?: string }> | undefined
  readonly publish: ReadonlyArray<{ readonly stream?: string }> | undefined
}

const text = (value: unknown): string | undefined => (typeof value === "string" && value !== "" ? value : undefined)

/** The text members with these names, for each object of a list. */
const texts = (value: unknown, names: ReadonlyArray<string>): ReadonlyArray<Record<string, string>> | undefined => {
  if (value === undefined) return []
  if (!Array.isArray(value)) return undefined
  return value.slice(0, maxWires).map((item: unknown) => {
    const entries = names.flatMap((name) => {
      const member = Predicate.isObject(item) ? text(item[name]) : undefined
      return member === undefined ? [] : [[name, member] as const]
    })
    return Object.fromEntries(entries)
  })
}

/** The readable parts of a flowline. */
interface Outline {
  readonly runtime: Runtime | undefined
  readonly nodes: ReadonlyArray<OutlineNode>
}

/** The parts of a node that the SQL checks use. */
export interface SqlNode extends Pick<OutlineNode, "component" | "subscribe" | "publish"> {
  readonly relation: Relation | undefined
}

/** What validation needs besides the file. Plain data, without the settings of nodes. */
export interface Needs {
  /** Whether the flowline may use the tenant's own nodes. */
  readonly ownNodes: boolean
  /** Whether the flowline may use the tenant's grok patterns. */
  readonly patterns: boolean
  /** Whether the check of all nodes' settings together can take more than a few milliseconds. */
  readonly heavy: boolean
  /** Every node of the flowline if one of them has an SQL statement, else empty. */
  readonly sql: ReadonlyArray<SqlNode>
}

/** What validation needs besides the file, by what can be read of the flowline. */
export const needsOf = ({ runtime, nodes }: Outline): Needs => {
  const seen = nodes.map(
    ({ type = "", component, subscribe, publish, settings }): SqlNode => ({
      component,
      subscribe,
      publish,
      relation: settings && catalogue.get(type)?.relation?.(settings)
    })
  )
  return {
    // If the runtime cannot be read, a node that is not in the catalogue may be the tenant's own.
    ownNodes: runtime === "pybatch" || (runtime === undefined && nodes.some(({ type }) => !catalogue.has(type ?? ""))),
    heavy: mayTakeLong(
      nodes.map(({ type = "", settings }) => settings !== undefined && catalogue.get(type)?.expressions?.(settings))
    ),
    patterns: needs({ dag: nodes.map(({ type = "" }) => ({ type })) }, "patterns"),
    sql: seen.some(({ relation }) => relation !== undefined && "statement" in relation) ? seen : []
  }
}

/** Reads the readable parts of a flowline, so that one fault does not hide the others. */
export const outline = (value: unknown): Outline => {
  const { runtime, dag } = Predicate.isObject(value) ? value : {}
  return {
    runtime: runtimes.find((known) => known === runtime),
    nodes: (Array.isArray(dag) ? dag.slice(0, maxNodes) : []).map((node: unknown): OutlineNode => {
      const members = Predicate.isObject(node) ? node : {}
      const settings = Object.hasOwn(members, "settings") ? members["settings"] : {}
      const type = text(members["type"])
      return {
        type,
        component: members["component"] === undefined ? type : text(members["component"]),
        named: members["component"] !== undefined,
        settings: Predicate.isObject(settings) ? settings : undefined,
        subscribe: Predicate.isObject(node) ? texts(members["subscribe"], ["component", "stream"]) : undefined,
        publish: Predicate.isObject(node) ? texts(members["publish"], ["stream"]) : undefined
      }
    })
  }
}

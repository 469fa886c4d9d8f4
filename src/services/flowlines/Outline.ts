import * as Predicate from "effect/Predicate"
import { maxNodes, maxWires, type Runtime, runtimes } from "../../protocol/Flowline.ts"

/** What can be read of a node whose definition may be wrong elsewhere. */
export interface OutlineNode {
  readonly type: string | undefined
  readonly component: string | undefined
  readonly named: boolean
  readonly settings: Record<string, unknown> | undefined
  readonly subscribe: ReadonlyArray<{ readonly component?: string; readonly stream?: string }> | undefined
  readonly publish: ReadonlyArray<{ readonly stream?: string }> | undefined
}

const text = (value: unknown): string | undefined => (typeof value === "string" && value !== "" ? value : undefined)

/** The members that are texts, of a list of objects. */
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

/** Reads of a flowline whatever is readable, so that one fault does not hide the others. */
export const outline = (
  value: unknown
): { readonly runtime: Runtime | undefined; readonly nodes: ReadonlyArray<OutlineNode> } => {
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

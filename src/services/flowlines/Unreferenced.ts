import * as Predicate from "effect/Predicate"
import { catalogue } from "../../nodes/Catalogue.ts"
import { componentOf, type DagNode, type Flowline } from "../../protocol/Flowline.ts"
import { fieldUseOf } from "./FieldCheck.ts"
import type { TryAnswer } from "./TryAnswer.ts"

/** Maximum number of fields that are named. */
const maxFields = 200

/** A word in the texts of a setting, where it is not a part of another one. */
const mentions = (settings: unknown, name: string): boolean => {
  const word = new RegExp(`(?<![\\p{L}\\p{N}_])${name.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&")}(?![\\p{L}\\p{N}_])`, "u")
  const within = (value: unknown): boolean => {
    if (typeof value === "string") return word.test(value)
    if (Array.isArray(value)) return value.some(within)
    return Predicate.isObject(value) && Object.entries(value).some(([key, inner]) => word.test(key) || within(inner))
  }
  return within(settings)
}

/** Whether the node reads the field, by the text of its settings or by what they mean where they say nothing. */
const uses = (node: DagNode, name: string): boolean =>
  mentions(node.settings, name) ||
  fieldUseOf(node, {}).reads.some((field) => field.name === name || field.name.startsWith(`${name}.`))

/** Whether the node may use fields that its settings do not name. */
const usesAll = (node: DagNode): boolean => {
  const statement = node.settings["statement"]
  // A statement in SQL names what it uses, unless it takes all columns.
  if (catalogue.get(node.type)?.relation?.(node.settings) !== undefined && typeof statement === "string")
    return statement.includes("*")
  const { isWhole = false } = fieldUseOf(node, {})
  return isWhole
}

/** The nodes that records of a node may reach, without itself. */
const below = ({ dag }: Flowline, component: string): ReadonlyArray<DagNode> => {
  const reached = new Set<string>([component])
  const found: Array<DagNode> = []
  for (let grew = true; grew; ) {
    grew = false
    for (const node of dag) {
      const name = componentOf(node)
      if (reached.has(name) || !node.subscribe.some(({ component }) => reached.has(component))) continue
      reached.add(name)
      found.push(node)
      grew = true
    }
  }
  return found
}

const namesOf = (records: ReadonlyArray<unknown>): ReadonlySet<string> =>
  new Set(records.flatMap((record) => (Predicate.isObject(record) ? Object.keys(record) : [])))

/** Fields that a node adds to the shown records, and that no node or output after it uses. */
export const unreferenced = (flowline: Flowline, edges: TryAnswer["edges"]): TryAnswer["unreferenced"] =>
  flowline.dag
    .flatMap((node) => {
      const component = componentOf(node)
      const made = namesOf(
        edges.filter(({ from, stream }) => from === component && stream !== "errors").flatMap(({ records }) => records)
      )
      if (made.size === 0) return []
      const had = namesOf(
        node.subscribe.flatMap((subscription) =>
          edges
            .filter(({ from, stream }) => from === subscription.component && stream === subscription.stream)
            .flatMap(({ records }) => records)
        )
      )
      const later = below(flowline, component)
      if (later.some(usesAll)) return []
      return [...made]
        .filter((field) => !had.has(field) && !later.some((node) => uses(node, field)))
        .map((field) => ({ component, field }))
    })
    .slice(0, maxFields)

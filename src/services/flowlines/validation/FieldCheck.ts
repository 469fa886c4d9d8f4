import { position } from "../../../languages/PatternError.ts"
import { suggestion } from "../../../languages/Suggest.ts"
import { asked } from "../../../nodes/Catalogue.ts"
import { anyFields, canHave, type FieldUse, type Known, type NamedField } from "../../../nodes/FieldUse.ts"
import { errors, type Surroundings } from "../../../nodes/Node.ts"
import { componentOf, type DagNode, type Flowline } from "../../../protocol/Flowline.ts"
import { topologicalOrder } from "../../../protocol/TopologicalOrder.ts"
import type { FilledContent } from "./FilledContent.ts"
import { type Finding, valueAt } from "./Finding.ts"

/** Maximum number of warnings of a flowline. */
const maxWarnings = 50

/** Fields that inputs and failures give to records besides those that settings name. */
const always = ["_source", "tags", "error"]

/** What the node does with fields. A node of the tenant may do anything. */
export const fieldUseOf = (node: DagNode, surroundings: Surroundings): FieldUse =>
  asked(node, (type) => type.fields, surroundings) ?? anyFields

/** The fields of the records that a node receives: of several senders, those of any. */
const together = (all: ReadonlyArray<Known>): Known => {
  const known = new Set<string>()
  for (const one of all) {
    if (one === undefined) return undefined
    for (const name of one) known.add(name)
  }
  return known
}

/** The fields of the records that each node receives. */
const received = (
  { dag }: Flowline,
  uses: ReadonlyMap<DagNode, FieldUse>,
  open: ReadonlySet<DagNode>,
  columns: Readonly<Record<string, ReadonlyArray<string>>>
): ReadonlyMap<DagNode, Known> => {
  const byName = new Map(dag.map((node, at) => [componentOf(node), { node, at }]))
  const ways = dag.flatMap(({ subscribe }, to) =>
    subscribe.flatMap(({ component }) => {
      const from = byName.get(component)?.at
      return from === undefined ? [] : [{ from, to }]
    })
  )
  /** Nodes with unknown settings, and the nodes after them: DuckDB checked their SQL with placeholders. */
  const unknown = new Set<DagNode>()
  const into = new Map<DagNode, Known>()
  const outOf = new Map<DagNode, Known>()
  for (const place of topologicalOrder(dag.length, ways)) {
    const node = dag[place]
    if (node === undefined) continue
    const known = together(
      node.subscribe.map(({ component, stream }) => {
        const sender = byName.get(component)?.node
        if (sender === undefined) return undefined
        // A failed record has the fields that came in. Those of an input may have any: it failed before it was a
        // record.
        if (stream === errors) return sender.subscribe.length === 0 ? undefined : into.get(sender)
        return outOf.get(sender)
      })
    )
    into.set(node, known)
    const senders = node.subscribe.flatMap(({ component }) => byName.get(component)?.node ?? [])
    if (open.has(node) || senders.some((sender) => unknown.has(sender))) unknown.add(node)
    const isNamed = Object.hasOwn(columns, componentOf(node)) && !unknown.has(node)
    const own = isNamed ? columns[componentOf(node)] : undefined
    const { gives } = uses.get(node) ?? anyFields
    outOf.set(
      node,
      own !== undefined
        ? new Set(own)
        : known === undefined && node.subscribe.length > 0
          ? undefined
          : gives?.(known ?? new Set())
    )
  }
  return into
}

const findingOf = (
  node: DagNode,
  index: number,
  { name, path, offset }: NamedField,
  known: ReadonlySet<string>
): Finding => {
  const near = suggestion(
    name,
    [...known].filter((one) => !always.includes(one))
  )
  const detail = `${componentOf(node)}: no record that comes here can have the field ${JSON.stringify(name)}${near}`
  const text = offset === undefined ? undefined : valueAt(node.settings, path)
  const inside = typeof text === "string" && offset !== undefined ? position(text, offset) : undefined
  return { path: ["dag", index, "settings", ...path], detail, ...(inside === undefined ? {} : { inside }) }
}

/**
 * Settings that name fields which no record can have there. `columns` are those of nodes in SQL, by component, `open`
 * the paths of settings whose values only an execution knows. What follows a node whose fields nobody knows is not
 * checked, and neither is a node with such a setting.
 */
export const fieldWarnings = (
  flowline: Flowline,
  surroundings: Pick<Surroundings, "patterns" | "tenant">,
  columns: Readonly<Record<string, ReadonlyArray<string>>>,
  paths: FilledContent["open"]
): ReadonlyArray<Finding> => {
  const { dag, runtime } = flowline
  const open = new Set(paths.flatMap(([part, index]) => (part === "dag" ? (dag[Number(index)] ?? []) : [])))
  const useOf = (node: DagNode) => (open.has(node) ? anyFields : fieldUseOf(node, { ...surroundings, runtime }))
  const uses = new Map(dag.map((node) => [node, useOf(node)]))
  const into = received(flowline, uses, open, columns)
  return dag
    .flatMap((node, index) => {
      const known = into.get(node)
      if (known === undefined || node.subscribe.length === 0) return []
      const all = new Set([...known, ...always])
      const { reads } = uses.get(node) ?? anyFields
      return reads.filter(({ name }) => !canHave(all, name)).map((field) => () => findingOf(node, index, field, all))
    })
    .slice(0, maxWarnings)
    .map((finding) => finding())
}

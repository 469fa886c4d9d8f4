import type { ExpandedGroup } from "../syntax/Expand.ts"
import { type Node, type Sequence, someNode } from "../syntax/Syntax.ts"

export const sequenceOf = (items: ReadonlyArray<Node>): Sequence => ({ kind: "sequence", items, start: 0, end: 0 })

export const itemsOf = (node: Node): ReadonlyArray<Node> => (node.kind === "sequence" ? node.items : [node])

/** A group of this kind is matched like its body. */
const isPlain = (group: ExpandedGroup): boolean => ["(?:", "(", "(?>"].includes(group.open)

/** Whether a pattern consists of others or of fields. Anything else is one part, such as `%{IPV4}`. */
const isComposite = (group: ExpandedGroup): boolean =>
  group.origin?.part !== "bank" ||
  someNode(
    group.body,
    (node) => (node as ExpandedGroup).reference !== undefined || (node as ExpandedGroup).name !== undefined
  )

/** The group whose inside can be looked at: of a repetition, the first iteration. */
export const opened = (node: Node): ExpandedGroup | undefined => {
  if (node.kind === "repeat") return node.min > 0 ? opened(node.node) : undefined
  const group = node as ExpandedGroup
  return node.kind === "group" && isPlain(group) && isComposite(group) ? group : undefined
}

/** The parts of an expression in order, with those of its groups. A choice is one part. */
export const partsOf = (node: Node): ReadonlyArray<Node> => {
  if (node.kind === "sequence") return node.items.flatMap(partsOf)
  if (node.kind === "mark") return []
  const group = node.kind === "group" ? opened(node) : undefined
  return group === undefined || group.body.kind === "choice" ? [node] : partsOf(group.body)
}

/** The expression with greedy repetitions in place of lazy ones. */
export const greedy = (node: Node): Node => {
  switch (node.kind) {
    case "repeat": {
      const isLazy = node.quantifier.length > 1 && node.quantifier.endsWith("?") && !/^\{\d+\}\?$/.test(node.quantifier)
      const quantifier = isLazy ? node.quantifier.slice(0, -1) : node.quantifier
      return { ...node, node: greedy(node.node), quantifier }
    }
    case "group":
      return { ...node, body: greedy(node.body) }
    case "sequence":
      return { ...node, items: node.items.map(greedy) }
    case "choice":
      return { ...node, branches: node.branches.map(greedy) }
    default:
      return node
  }
}

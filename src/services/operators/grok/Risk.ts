import type { ExpandedGroup } from "./Expand.ts"
import type { Node } from "./Syntax.ts"

/** Rounds of a repetition that may be tried in all combinations. */
const fewRounds = 8
/** Pieces of any text in a row that are still quick to try in all lengths. */
const fewWide = 3

const children = (node: Node): ReadonlyArray<Node> => {
  switch (node.kind) {
    case "group":
      return [node.body]
    case "repeat":
      return [node.node]
    case "sequence":
      return node.items
    case "choice":
      return node.branches
    default:
      return []
  }
}

const some = (node: Node, holds: (node: Node) => boolean): boolean =>
  holds(node) || children(node).some((child) => some(child, holds))

/** Whether one round can match in several ways, which its repetition multiplies. */
const isAmbiguous = (body: Node, rounds: number): boolean =>
  some(body, (node) =>
    node.kind === "repeat"
      ? node.max === Number.POSITIVE_INFINITY || (rounds > fewRounds && node.min !== node.max)
      : node.kind === "choice" && rounds > fewRounds
  )

const isAny = (node: Node): boolean =>
  node.kind === "atom" ? node.text === "." : node.kind === "group" && isAny(node.body)

/**
 * Whether a line may keep the expression busy for very long: it repeats what repeats itself, or has any text in many
 * places. The built-in patterns' own repetitions do not count: their tests show that they do not run away.
 */
export const mayRunAway = (root: Node): boolean => {
  let wide = 0
  const walk = (node: Node, isBuiltIn: boolean): boolean => {
    if (node.kind === "repeat") {
      if (node.max === Number.POSITIVE_INFINITY && isAny(node.node)) wide++
      if (!isBuiltIn && node.max > 2 && isAmbiguous(node.node, node.max)) return true
    }
    const origin = node.kind === "group" ? (node as ExpandedGroup).origin : undefined
    const isInside = origin === undefined ? isBuiltIn : origin.part === "bank"
    return children(node).some((child) => walk(child, isInside))
  }
  return walk(root, false) || wide > fewWide
}

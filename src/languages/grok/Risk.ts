import type { ExpandedGroup } from "./Expand.ts"
import { childrenOf, type Node, someNode } from "./Syntax.ts"

/** Rounds of a repetition that may be tried in all combinations. */
const fewRounds = 8
/** Pieces of any text in a row that are still quick to try in all lengths. */
const fewWide = 3

/** Whether one round can match in several ways, which its repetition multiplies. */
const isAmbiguous = (body: Node, rounds: number): boolean =>
  someNode(body, (node) =>
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
    return childrenOf(node).some((child) => walk(child, isInside))
  }
  return walk(root, false) || wide > fewWide
}

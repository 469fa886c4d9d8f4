import type { ExpandedGroup } from "./Expand.ts"
import { childrenOf, type Node, someNode } from "./Syntax.ts"

/** Maximum number of iterations whose combinations are still quick to try. */
const fewRounds = 8
/** Maximum number of consecutive wildcard parts whose lengths are still quick to try. */
const fewWide = 3

/** Whether one iteration can match in several ways, which its repetition multiplies. */
const isAmbiguous = (body: Node, rounds: number): boolean =>
  someNode(body, (node) =>
    node.kind === "repeat"
      ? node.max === Number.POSITIVE_INFINITY || (rounds > fewRounds && node.min !== node.max)
      : node.kind === "choice" && rounds > fewRounds
  )

const isAny = (node: Node): boolean =>
  node.kind === "atom" ? node.text === "." : node.kind === "group" && isAny(node.body)

/**
 * Whether a line may keep the expression busy for very long: it has nested repetitions, or many wildcard parts.
 * Repetitions of the built-in patterns are ignored: their tests show that they do not run away.
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

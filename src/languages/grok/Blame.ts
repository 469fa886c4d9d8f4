import type { PatternError } from "../PatternError.ts"
import { type ExpandedGroup, faultAt, type Origin } from "./Expand.ts"
import { matcher, type Tree } from "./Matcher.ts"
import { childrenOf } from "./Syntax.ts"

/** Finds the smallest part of a bad expression that is bad by itself, including inside definitions. */
export const blame = (tree: Tree, origin: Origin, dotall: boolean, error: Error): PatternError => {
  let node = tree.root
  let from = origin
  let detail = error.message
  for (;;) {
    const culprit = childrenOf(node).find((child) => {
      try {
        matcher({ ...tree, root: child }, { dotall, indices: false, text: "ascii" })
        return false
      } catch (fault) {
        detail = (fault as Error).message
        return true
      }
    })
    if (culprit === undefined) break
    from = (node as ExpandedGroup).origin ?? from
    node = culprit
  }
  return faultAt(from, {
    message: `bad regular expression: ${detail.split("\n")[0]}`,
    start: node.start,
    end: node.end
  })
}

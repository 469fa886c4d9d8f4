import type { ExpandedGroup } from "./Expand.ts"
import { nullable } from "./Nullable.ts"
import type { Node } from "./Syntax.ts"

/** The captures that every match has, and never empty: there is nothing to look at before they are kept. */
export const certainCaptures = (root: Node): ReadonlySet<number> => {
  const found = new Set<number>()
  const walk = (node: Node): void => {
    switch (node.kind) {
      case "sequence":
        for (const item of node.items) walk(item)
        break
      case "repeat":
        if (node.min > 0) walk(node.node)
        break
      case "group": {
        if (/^\(\?<?[=!~]/.test(node.open)) break
        const { capture } = node as ExpandedGroup
        if (capture !== undefined && !nullable(node.body)) found.add(capture)
        walk(node.body)
        break
      }
      default:
        break
    }
  }
  walk(root)
  return found
}

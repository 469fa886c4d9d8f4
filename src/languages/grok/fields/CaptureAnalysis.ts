import type { ExpandedGroup } from "../syntax/Expand.ts"
import { nullable } from "../syntax/Nullable.ts"
import type { Node } from "../syntax/Syntax.ts"

/** What is known about captures independently of a line. */
export interface Knowledge {
  /** Captures that every match sets to a non-empty text, so their values need no check. */
  readonly certain: ReadonlySet<number>
  /** Captures that are never empty when they take part in a match. */
  readonly solid: ReadonlySet<number>
}

export const capturesOf = (root: Node): Knowledge => {
  const certain = new Set<number>()
  const solid = new Set<number>()
  const walk = (node: Node, isCertain: boolean): void => {
    switch (node.kind) {
      case "sequence":
        for (const item of node.items) walk(item, isCertain)
        break
      case "choice":
        for (const branch of node.branches) walk(branch, false)
        break
      case "repeat":
        walk(node.node, isCertain && node.min > 0)
        break
      case "group": {
        const { capture } = node as ExpandedGroup
        const stays = isCertain && !/^\(\?<?[=!~]/.test(node.open)
        if (capture !== undefined && !nullable(node.body)) {
          solid.add(capture)
          if (stays) certain.add(capture)
        }
        walk(node.body, stays)
        break
      }
      default:
        break
    }
  }
  walk(root, true)
  return { certain, solid }
}

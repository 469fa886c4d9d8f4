import type { Node } from "./Syntax.ts"

/** True when the node may match the empty string, or when that is unknown. */
export const nullable = (node: Node): boolean => {
  switch (node.kind) {
    case "atom":
      return /^(?:[$^]|\\[bBAzZGKyY])$/.test(node.text)
    case "class":
      return false
    case "repeat":
      return node.min === 0 || nullable(node.node)
    case "choice":
      return node.branches.some(nullable)
    case "group":
      return /^\(\?<?[=!]/.test(node.open) || nullable(node.body)
    case "sequence":
      return node.items.every(nullable)
    default:
      return true
  }
}

import type { Node } from "./Syntax.ts"

/** True when the node may match without taking a character; also when that is not known. */
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

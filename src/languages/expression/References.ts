import type jsep from "jsep"
import { parse, startOf } from "./Parse.ts"

/** A field that an expression names, as far as its names are texts: `a.b` of `a.b[0]`. */
interface FieldReference {
  readonly path: ReadonlyArray<string>
  /** UTF-16 units from 0. */
  readonly offset: number
}

const keyOf = (expression: jsep.Expression): string | undefined => {
  const node = expression as jsep.CoreExpression
  if (node.type === "Identifier") return node.name
  return node.type === "Literal" && typeof node.value === "string" ? node.value : undefined
}

/** The keys of a field up to the first that is no text, and whether the node is a field at all. */
const pathOf = (
  node: jsep.CoreExpression
): { readonly keys: ReadonlyArray<string>; readonly isWhole: boolean } | undefined => {
  if (node.type === "Identifier") return { keys: node.name === "event" ? [] : [node.name], isWhole: true }
  if (node.type === "ArrayExpression") {
    const only = node.elements.length === 1 ? node.elements[0] : undefined
    const key = only ? keyOf(only) : undefined
    return key === undefined ? undefined : { keys: [key], isWhole: true }
  }
  if (node.type !== "MemberExpression") return undefined
  const object = pathOf(node.object as jsep.CoreExpression)
  if (object === undefined) return undefined
  const key = object.isWhole ? keyOf(node.property) : undefined
  return key === undefined ? { ...object, isWhole: false } : { keys: [...object.keys, key], isWhole: true }
}

/** The fields that a valid expression names. `event` alone stands for all of them, and is not among them. */
export const fieldReferences = (text: string): ReadonlyArray<FieldReference> => {
  const found: Array<FieldReference> = []
  const visit = (expression: jsep.Expression | null | undefined, isList = false): void => {
    if (!expression) return
    const node = expression as jsep.CoreExpression
    // Brackets after `in` are a list, even with one element.
    const path = isList && node.type === "ArrayExpression" ? undefined : pathOf(node)
    if (path !== undefined) {
      if (path.keys.length > 0) found.push({ path: path.keys, offset: startOf(node) })
      return
    }
    switch (node.type) {
      case "ArrayExpression":
        for (const item of node.elements) visit(item)
        return
      case "UnaryExpression":
        visit(node.argument)
        return
      case "BinaryExpression":
        visit(node.left)
        visit(node.right, node.operator === "in" || node.operator === "not in")
        return
      case "ConditionalExpression":
        for (const part of [node.test, node.consequent, node.alternate]) visit(part)
        return
      case "CallExpression":
        for (const argument of node.arguments) visit(argument)
        return
      default:
        return
    }
  }
  visit(parse(text))
  return found
}

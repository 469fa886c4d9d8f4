import type jsep from "jsep"
import { generated } from "../Generated.ts"
import { chain, isAnd, isOr } from "./Parse.ts"
import { compareWith, toNumber, type Value } from "./Values.ts"

/** A JSON object. */
type Event = Readonly<Record<string, unknown>>
type Evaluate = (event: Event) => Value

/** More code than this is not worth compiling. */
const maxCode = 20_000

const comparisons = new Set(["<", "<=", ">", ">="])

/** The value of a literal that can stand in the code: a text, or a finite number. */
const literalOf = (expression: jsep.Expression | null): string | number | undefined => {
  if (expression?.type !== "Literal") return undefined
  const { value } = expression as jsep.Literal
  return typeof value === "string" || (typeof value === "number" && Number.isFinite(value)) ? value : undefined
}

/** Whether only the same text equals it: none that stands for a number does. */
const isWord = (value: unknown): value is string => typeof value === "string" && toNumber(value) === null

/**
 * The events for which an expression holds, found by code in which V8 reads fields fastest. What is not one of the
 * common forms is evaluated by the function that `compile` makes of it. Undefined where code is of no use or forbidden.
 */
export const generatedSelector = (
  expression: jsep.Expression,
  compile: (expression: jsep.Expression) => Evaluate
): (<E extends Event>(events: ReadonlyArray<E>) => Array<E>) | undefined => {
  const others: Array<Evaluate> = []
  let isSpecial = false
  const valueOf = (node: jsep.Expression): string | undefined => {
    if (node.type !== "Identifier") return undefined
    const { name } = node as jsep.Identifier
    // Every object has a member such as `toString` without having got it.
    if (name === "event" || name in Object.prototype) return undefined
    isSpecial = true
    return `event[${JSON.stringify(name)}]`
  }
  const compared = ({ operator, left, right }: jsep.BinaryExpression): string | undefined => {
    const literal = literalOf(right)
    if (comparisons.has(operator) && typeof literal === "number") {
      const value = valueOf(left)
      return value === undefined ? undefined : `compareWith(${value}) ${operator} ${literal}`
    }
    if ((operator === "==" || operator === "!=") && isWord(literal)) {
      const value = valueOf(left)
      return value === undefined ? undefined : `${value} ${operator}= ${JSON.stringify(literal)}`
    }
    if (operator !== "in" && operator !== "not in") return undefined
    const items = right.type === "ArrayExpression" ? (right as jsep.ArrayExpression).elements.map(literalOf) : []
    if (items.length === 0 || !items.every(isWord)) return undefined
    const value = valueOf(left)
    if (value === undefined) return undefined
    const any = items.map((item) => `${value} === ${JSON.stringify(item)}`).join(" || ")
    return operator === "in" ? any : `!(${any})`
  }
  const holds = (node: jsep.Expression): string => {
    if (node.type === "BinaryExpression") {
      const binary = node as jsep.BinaryExpression
      const same = isAnd(binary.operator) ? isAnd : isOr(binary.operator) ? isOr : undefined
      if (same !== undefined) {
        const operands = chain(binary, same).map((operand) => `(${holds(operand)})`)
        return operands.join(same === isAnd ? " && " : " || ")
      }
      const code = compared(binary)
      if (code !== undefined) return code
    }
    if (node.type === "UnaryExpression" && (node["operator"] === "!" || node["operator"] === "not")) {
      return `!(${holds((node as jsep.UnaryExpression).argument)})`
    }
    others.push(compile(node))
    return `!!others[${others.length - 1}](event)`
  }
  const code = holds(expression)
  if (!isSpecial || code.length > maxCode) return undefined
  const lines = [
    "(events) => {",
    "const kept = []",
    "for (let at = 0; at < events.length; at++) {",
    "const event = events[at]",
    `if (${code}) kept.push(event)`,
    "}",
    "return kept",
    "}"
  ]
  return generated(lines.join("\n"), { others, compareWith })
}

import type jsep from "jsep"
import { position } from "../PatternError.ts"
import { generatedSelector } from "./Generate.ts"
import { chain, compileRegex, ExpressionFault, isAnd, isOr, parse, startOf } from "./Parse.ts"
import { binaryOperators, contains, functions, matches, member, toNumber, type Value } from "./Values.ts"

/** A JSON object. */
type Event = Readonly<Record<string, unknown>>
type Evaluate = (event: Event) => Value

/** JavaScript's truthiness. */
const truth = (value: Value): boolean => Boolean(value)

/**
 * Compiles an expression on an event to a predicate. The predicate can only access the event's own fields and the
 * functions of the language, and never throws. Throws {@link ExpressionFault}.
 */
export const predicate = (text: string): ((event: Event) => boolean) => {
  const evaluate = compile(parse(text))
  return (event) => truth(evaluate(event))
}

/** Why an expression does not compile, and where: line and column from 1. */
export const faultOf = (
  text: string
): { readonly detail: string; readonly line: number; readonly column: number } | undefined => {
  try {
    predicate(text)
    return undefined
  } catch (cause) {
    if (!(cause instanceof ExpressionFault)) throw cause
    return { detail: cause.message, ...position(text, cause.offset) }
  }
}

/** Compiles an expression to a function that returns the events for which it holds, as {@link predicate} tells. */
export const selector = (text: string): (<E extends Event>(events: ReadonlyArray<E>) => Array<E>) => {
  const expression = parse(text)
  // Finds the faults, too.
  const evaluate = compile(expression)
  return generatedSelector(expression, compile) ?? ((events) => events.filter((event) => truth(evaluate(event))))
}

/**
 * Maximum nesting of operators. Each level takes stack when the predicate runs, where the remaining stack is unknown.
 */
const maxLevels = 300
let level = 0

const compile = (expression: jsep.Expression): Evaluate => {
  if (level >= maxLevels) return fault("The expression is nested too deeply", expression)
  level++
  try {
    return compileNode(expression)
  } finally {
    level--
  }
}

const compileNode = (expression: jsep.Expression): Evaluate => {
  // The union type lets the compiler distinguish the node kinds by their tag.
  const node = expression as jsep.CoreExpression
  const path = pathOf(node)
  if (path !== undefined) return reader(path)
  switch (node.type) {
    case "Literal": {
      const { value } = node
      if (value instanceof RegExp) return fault("A regular expression belongs on the right of =~ or !~", node)
      return () => value
    }
    case "ArrayExpression": {
      const items = node.elements.map((item) => (item === null ? fault("The list has a hole", node) : compile(item)))
      return (event) => items.map((item) => item(event))
    }
    case "UnaryExpression":
      return unary(node)
    case "BinaryExpression":
      return binary(node)
    case "ConditionalExpression": {
      const [test, yes, no] = [compile(node.test), compile(node.consequent), compile(node.alternate)]
      return (event) => (truth(test(event)) ? yes(event) : no(event))
    }
    case "CallExpression":
      return call(node)
    case "MemberExpression":
      return fault("Only the event's fields have members", node)
    default:
      return fault("This is not part of the language", node)
  }
}

const fault = (detail: string, node: jsep.Expression): never => {
  throw new ExpressionFault(detail, startOf(node))
}

/** The keys of a field: `a.b`, `a["odd name"]`, `a[0]`, `[a][b]`, `["odd name"]`. `event` alone is the whole event. */
const pathOf = (node: jsep.CoreExpression): ReadonlyArray<string | number> | undefined => {
  if (node.type === "Identifier") return node.name === "event" ? [] : [node.name]
  if (node.type === "ArrayExpression") {
    const only = node.elements.length === 1 ? node.elements[0] : undefined
    const key = only ? keyOf(only) : undefined
    return typeof key === "string" ? [key] : undefined
  }
  if (node.type !== "MemberExpression") return undefined
  const object = pathOf(node.object as jsep.CoreExpression)
  if (object === undefined) return undefined
  const key = keyOf(node.property)
  if (key === undefined) return fault("A field's name in brackets is a word, a text or a number", node.property)
  return [...object, key]
}

const keyOf = (expression: jsep.Expression): string | number | undefined => {
  const node = expression as jsep.CoreExpression
  if (node.type === "Identifier") return node.name
  return node.type === "Literal" && (typeof node.value === "string" || typeof node.value === "number")
    ? node.value
    : undefined
}

const reader = (path: ReadonlyArray<string | number>): Evaluate => {
  const [first, ...rest] = path
  if (first === undefined) return (event) => event
  if (rest.length === 0) return (event) => member(event, first)
  return (event) => path.reduce(member, event as Value)
}

const unary = (node: jsep.UnaryExpression): Evaluate => {
  const argument = compile(node.argument)
  switch (node.operator) {
    case "!":
    case "not":
      return (event) => !truth(argument(event))
    case "-":
    case "+": {
      const sign = node.operator === "-" ? -1 : 1
      return (event) => {
        const value = toNumber(argument(event))
        return value === null ? null : sign * value
      }
    }
    default:
      return fault(`The operator ${node.operator} is not part of the language`, node)
  }
}

const isNegation = (node: jsep.Expression): boolean =>
  node.type === "UnaryExpression" && (node["operator"] === "not" || node["operator"] === "!")

const binary = (node: jsep.BinaryExpression): Evaluate => {
  const { operator } = node
  if (isAnd(operator) || isOr(operator)) {
    const operands = chain(node, isAnd(operator) ? isAnd : isOr).map(compile)
    return isAnd(operator)
      ? (event) => operands.every((operand) => truth(operand(event)))
      : (event) => operands.some((operand) => truth(operand(event)))
  }
  // `not a == b` parses as `(not a) == b`, which nobody means.
  if (isNegation(node.left)) {
    fault(`The negation applies only to the operand before ${operator}: put the comparison in parentheses`, node.left)
  }
  if (operator === "=~" || operator === "!~") {
    const left = compile(node.left)
    const regex = regexOf(node.right)
    return operator === "=~" ? (event) => matches(left(event), regex) : (event) => !matches(left(event), regex)
  }
  if (operator === "in" || operator === "not in") {
    const [item, container] = [compile(node.left), list(node.right)]
    return operator === "in"
      ? (event) => contains(container(event), item(event))
      : (event) => !contains(container(event), item(event))
  }
  const compute = binaryOperators.get(operator)
  if (compute === undefined) return fault(`The operator ${operator} is not part of the language`, node)
  const [left, right] = [compile(node.left), compile(node.right)]
  return (event) => compute(left(event), right(event))
}

/** The right side of `in`. Brackets are a list there, never the name of a field. */
const list = (node: jsep.Expression): Evaluate => {
  if (node.type !== "ArrayExpression") return compile(node)
  const { elements } = node as jsep.ArrayExpression
  const items = elements.map((item) => (item === null ? fault("The list has a hole", node) : compile(item)))
  if (elements.every((item) => item?.type === "Literal")) {
    const values = items.map((item) => item({}))
    return () => values
  }
  return (event) => items.map((item) => item(event))
}

/** A text is a regular expression as written: its backslashes are not doubled. */
const regexOf = (node: jsep.Expression): RegExp => {
  const { value, raw } = node as jsep.Literal
  if (value instanceof RegExp) return value
  if (typeof value !== "string") return fault("=~ and !~ take a text or a /regular expression/ on the right", node)
  const quote = raw.charAt(0)
  return compileRegex(raw.slice(1, -1).replaceAll(`\\${quote}`, quote), "", startOf(node))
}

const call = (node: jsep.CallExpression): Evaluate => {
  const callee = node.callee as jsep.CoreExpression
  const name = callee.type === "Identifier" ? callee.name : undefined
  const found = name === undefined ? undefined : functions.get(name)
  if (found === undefined) return fault(`The functions are ${[...functions.keys()].join(", ")}`, node)
  const { arity, call } = found
  if (node.arguments.length !== arity) {
    return fault(`${name} takes ${arity} argument${arity === 1 ? "" : "s"}, not ${node.arguments.length}`, node)
  }
  const [first, second] = node.arguments.map(compile)
  return (event) => call(first?.(event) ?? null, second?.(event) ?? null)
}

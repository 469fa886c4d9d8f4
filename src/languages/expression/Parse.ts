import * as Predicate from "effect/Predicate"
import jsep from "jsep"

/** A fault of an expression. `offset` counts UTF-16 units from 0. */
export class ExpressionFault extends Error {
  readonly offset: number
  constructor(detail: string, offset: number) {
    super(detail)
    this.offset = offset
  }
}

const maxLength = 8192
const maxDepth = 100

jsep.addIdentifierChar("@")
jsep.addBinaryOp("or", 1)
jsep.addBinaryOp("and", 2)
jsep.addBinaryOp("=~", 6)
jsep.addBinaryOp("!~", 6)
jsep.addBinaryOp("in", 7)
jsep.addBinaryOp("not in", 7)
jsep.addUnaryOp("not")

/** The parser does not record positions. This hook calls it again for the token and stores where the token began. */
let inside = false
let depth = 0
jsep.hooks.add("gobble-token", function (env) {
  if (inside) {
    inside = false
    return
  }
  const start = this.index
  if (this.char === "/") {
    env.node = regex(this)
  } else {
    if (++depth > maxDepth) this.throwError("The expression is nested too deeply")
    inside = true
    const token = this.gobbleToken()
    depth--
    if (token) env.node = token
  }
  if (env.node) env.node["start"] ??= start
})

/** Counts nested `test ? yes : no` expressions, which nest without a token that is counted above. */
let expressions = 0
jsep.hooks.add("gobble-expression", function () {
  if (++expressions > maxDepth) this.throwError("The expression is nested too deeply")
})
jsep.hooks.add("after-expression", () => {
  expressions--
})

/** `/source/flags`, as in JavaScript, except that a `/` inside a class needs a backslash. */
const regex = (scope: jsep.HookScope): jsep.Literal => {
  const found = /^\/((?:[^/\\\r\n]|\\.)+)\/([a-z]*)/.exec(scope.expr.slice(scope.index))
  if (found === null) return scope.throwError("Unclosed regular expression")
  const start = scope.index
  scope.index += found[0].length
  return { type: "Literal", value: compileRegex(found[1]!, found[2]!, start), raw: found[0] }
}

export const compileRegex = (source: string, flags: string, offset: number): RegExp => {
  if (!/^[imsu]*$/.test(flags)) throw new ExpressionFault("The flags of a regular expression are i, m, s and u", offset)
  try {
    return new RegExp(source, flags)
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message.replace(/^.*: /s, "") : String(cause)
    throw new ExpressionFault(`The regular expression does not compile: ${reason}`, offset)
  }
}

/** The offset of the node. */
export const startOf = (node: jsep.Expression): number => {
  if (typeof node["start"] === "number") return node["start"]
  // Only the operators between two tokens have no offset of their own.
  const { left } = node
  return Predicate.hasProperty(left, "type") ? startOf(left as jsep.Expression) : 0
}

/** Parses an expression to a tree whose nodes have a `start`. Throws {@link ExpressionFault}. */
export const parse = (text: string): jsep.Expression => {
  if (text.length > maxLength) throw new ExpressionFault(`The expression is longer than ${maxLength} characters`, 0)
  inside = false
  depth = 0
  expressions = 0
  try {
    // An unfinished expression ends at its last character, not after the blanks.
    const tree = jsep(text.trimEnd())
    if (tree.type !== "Compound") return tree
    const second = (tree as jsep.Compound).body[1]
    if (second === undefined) throw new ExpressionFault("The expression is empty", 0)
    throw new ExpressionFault("Expected an operator before this", startOf(second))
  } catch (cause) {
    if (cause instanceof ExpressionFault || !(cause instanceof Error)) throw cause
    const offset = "index" in cause && typeof cause.index === "number" ? cause.index : 0
    throw new ExpressionFault("description" in cause ? String(cause.description) : cause.message, offset)
  }
}

export const isAnd = (operator: unknown): boolean => operator === "&&" || operator === "and"
export const isOr = (operator: unknown): boolean => operator === "||" || operator === "or"

/** The operands of `a or b or c`. The parser nests them to the left, and long chains are common. */
export const chain = (node: jsep.BinaryExpression, same: (operator: unknown) => boolean): Array<jsep.Expression> => {
  const operands = [node.right]
  let left = node.left
  while (left.type === "BinaryExpression" && same(left["operator"])) {
    const inner = left as jsep.BinaryExpression
    operands.push(inner.right)
    left = inner.left
  }
  return [...operands, left].reverse()
}

import {
  type Document,
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  type Node,
  type Pair,
  parseDocument,
  stringify
} from "yaml"
import type { Edited } from "./Notation.ts"
import type { Path } from "./schema.ts"

const read = (text: string): Document.Parsed => parseDocument(text, { logLevel: "silent", prettyErrors: false })

const isPlainValue = (value: unknown): boolean =>
  value !== undefined && (value === null || typeof value !== "object") && !String(value).includes("\n")

/** Whether the text at these offsets stands in a list in brackets, or in an object in braces. */
const isInFlow = (document: Document.Parsed, path: Path): boolean =>
  path.some((_, depth) => {
    const node = document.getIn(path.slice(0, depth), true)
    return (isMap(node) || isSeq(node)) && node.flow === true
  })

/** A value on one line. */
export const inline = (value: unknown, isFlow: boolean): string => {
  const text = stringify(isFlow ? [value] : value, {
    lineWidth: 0,
    collectionStyle: isFlow ? "flow" : "any",
    defaultStringType: "PLAIN"
  }).trimEnd()
  return isFlow ? text.slice(1, -1).trim() : text
}

const hasAlias = (node: unknown): boolean => {
  if (isAlias(node)) return true
  if (isSeq(node)) return node.items.some(hasAlias)
  if (isMap(node)) return node.items.some(({ value }: Pair) => hasAlias(value))
  return false
}

/** A node for a value, with the comments and the notation of the one that it replaces. */
const noteAs = (document: Document.Parsed, before: unknown, value: unknown): Node => {
  const made = document.createNode(value) as Node
  if (!isNode(before)) return made
  if (before.commentBefore) made.commentBefore = before.commentBefore
  if (before.comment) made.comment = before.comment
  if (before.spaceBefore) made.spaceBefore = true
  if (isSeq(before) && isSeq(made)) {
    if (before.flow) made.flow = true
    // An item that stays keeps its own.
    for (const [at, item] of made.items.entries()) {
      const old = before.items[at]
      if (isScalar(old) && isScalar(item) && old.value === item.value) made.items[at] = old
    }
  }
  if (isMap(before) && isMap(made) && before.flow) made.flow = true
  return made
}

/** Writes a part of the document anew, and leaves the rest as it is. */
const rewritten = (text: string, document: Document.Parsed, path: Path): Edited => {
  const node = document.getIn(path, true)
  if (!isNode(node) || hasAlias(node)) return undefined
  const [from, , end] = (node as Node).range ?? []
  if (from === undefined || end === undefined) return undefined
  const lineStart = text.lastIndexOf("\n", from - 1) + 1
  const column = from - lineStart
  const copy = document.clone() as Document
  copy.contents = node as never
  copy.commentBefore = null
  copy.comment = null
  const made = copy.toString({ lineWidth: 0, flowCollectionPadding: true }).trimEnd()
  const lines = made.split("\n").map((line, at) => (at === 0 || line === "" ? line : " ".repeat(column) + line))
  // What follows the node up to the next one: blank lines and comments stay.
  const [, valueEnd = end] = (node as Node).range ?? []
  const rest = text.slice(valueEnd)
  const trailing = /\s*$/.exec(text.slice(from, valueEnd))?.[0] ?? ""
  return text.slice(0, from) + lines.join("\n") + trailing + rest
}

/**
 * Puts a value in the place of what stands at a path of a text in YAML, or takes it away (undefined). The rest of
 * the text stays as it is: its comments, its order and its notation.
 */
export const edited = (text: string, path: Path, value: unknown): Edited => {
  const document = read(text)
  if (document.errors.length > 0) return undefined
  const before = document.getIn(path, true)
  if (isAlias(before)) return undefined
  const isBlock = isScalar(before) && /^BLOCK/.test(before.type ?? "")
  if (isScalar(before) && !isBlock && before.range && isPlainValue(value) && !before.anchor && !before.tag) {
    const [from, to] = before.range
    const isEmpty = from === to
    const made = inline(value, isInFlow(document, path))
    return text.slice(0, from) + (isEmpty && !/\s$/.test(text.slice(0, from)) ? " " : "") + made + text.slice(to)
  }
  // The innermost part that is there already is written anew.
  let depth = path.length - 1
  while (depth > 0 && !isNode(document.getIn(path.slice(0, depth), true))) depth--
  const parent = document.getIn(path.slice(0, depth), true)
  if (isAlias(parent)) return undefined
  if (value === undefined) {
    if (!document.hasIn(path)) return text
    document.deleteIn(path)
    const holder = document.getIn(path.slice(0, -1), true)
    // Settings that are gone leave no empty braces.
    if (isMap(holder) && holder.items.length === 0 && path.length > 1) {
      return path.at(-2) === "settings"
        ? edited(text, path.slice(0, -1), undefined)
        : rewritten(text, document, path.slice(0, -1))
    }
  } else {
    try {
      if (isScalar(parent)) document.setIn(path.slice(0, depth), document.createNode(nested(path.slice(depth), value)))
      else document.setIn(path, noteAs(document, before, value))
    } catch {
      return undefined
    }
  }
  // A member of a list in blocks is the smallest part whose place is sure.
  const whole = Math.min(depth, 2)
  return rewritten(text, document, path.slice(0, path[0] === "dag" ? whole : Math.min(depth, 1)))
}

/** A value below keys: `["a", "b"]` and 1 is `{ a: { b: 1 } }`. */
const nested = (path: Path, value: unknown): unknown =>
  path.reduceRight<unknown>((inner, key) => ({ [key]: inner }), value)

/** Gives what stands at a path another key. */
export const keyed = (text: string, path: Path, key: string): Edited => {
  const document = read(text)
  const map = document.getIn(path.slice(0, -1), true)
  const pair = isMap(map)
    ? map.items.find((one) => isScalar(one.key) && String(one.key.value) === path.at(-1))
    : undefined
  if (document.errors.length > 0 || !isScalar(pair?.key) || !pair.key.range || pair.key.anchor) return undefined
  const [from, to] = pair.key.range
  return text.slice(0, from) + inline(key, isInFlow(document, path)) + text.slice(to)
}

/** Adds an item at the end of the list `dag`. */
export const withNode = (text: string, node: Readonly<Record<string, unknown>>): Edited => {
  const document = read(text)
  if (document.errors.length > 0) return undefined
  const dag = document.get("dag", true)
  if (!isSeq(dag) || dag.items.length === 0 || dag.flow === true) {
    if (isSeq(dag) && dag.flow === true && dag.items.length > 0) {
      return edited(text, ["dag", dag.items.length], node)
    }
    const clean = text
      .trimEnd()
      .replace(/\n?^dag:[ \t]*(\[\s*\])?[ \t]*$/m, "")
      .trimEnd()
    return `${clean}${clean === "" ? "" : "\n"}dag:\n${listItem(node, 2)}`
  }
  const last = dag.items.at(-1)
  const [from = 0, to = text.length] = (isNode(last) && last.range) || []
  const dash = text.lastIndexOf("-", from)
  const column = dash - (text.lastIndexOf("\n", dash) + 1)
  const head = text.slice(0, to).trimEnd()
  const rest = text.slice(head.length).replace(/^[ \t]*(#.*)?\n?/, "$1")
  const comment = /^#.*/.exec(rest)?.[0]
  const begun = comment === undefined ? head : `${head} ${comment}`
  const after = comment === undefined ? rest : rest.slice(comment.length).replace(/^\n/, "")
  return `${begun}\n${listItem(node, column)}${after}`
}

/** A node as an item of a list, its wires on one line each. */
export const listItem = (node: Readonly<Record<string, unknown>>, column: number): string => {
  const indent = " ".repeat(column)
  const lines = Object.entries(node).flatMap(([key, value]) => {
    if (key === "subscribe" || key === "publish") return [`${key}: ${inline(value, true)}`]
    return stringify({ [key]: value }, { lineWidth: 0 })
      .trimEnd()
      .split("\n")
  })
  return lines.map((line, at) => `${indent}${at === 0 ? "- " : "  "}${line}\n`).join("")
}

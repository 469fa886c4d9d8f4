import { type Document, isMap, isNode, isScalar, isSeq, parseDocument } from "yaml"
import type { Spot, Spots } from "./Notation.ts"
import { longest, mark } from "./place.ts"
import type { Path } from "./schema.ts"
import { inline } from "./yamlEdits.ts"

const keyText = (key: unknown): string => String(isScalar(key) ? key.value : key)

/** The path of the innermost part of a document that stands at an offset. */
export const pathAt = (document: Document.Parsed, offset: number): Path => {
  const path: Array<string | number> = []
  let node: unknown = document.contents
  for (;;) {
    if (isMap(node)) {
      const pair = node.items.findLast(
        ({ key }) => isNode(key) && (key.range?.[0] ?? Number.POSITIVE_INFINITY) <= offset
      )
      if (pair === undefined) return path
      const end = (isNode(pair.value) && pair.value.range?.[2]) || (isNode(pair.key) && pair.key.range?.[2]) || 0
      if (node.flow === true && offset > end) return path
      path.push(keyText(pair.key))
      node = pair.value
    } else if (isSeq(node)) {
      const index = node.items.findLastIndex(
        (item) => isNode(item) && (item.range?.[0] ?? Number.POSITIVE_INFINITY) <= offset
      )
      if (index < 0) return path
      path.push(index)
      node = node.items[index]
    } else return path
  }
}

const find = (node: unknown, path: Path): { readonly path: Path; readonly isKey: boolean } | undefined => {
  if (isScalar(node))
    return typeof node.value === "string" && node.value.includes(mark) ? { path, isKey: false } : undefined
  if (isMap(node)) {
    for (const { key, value } of node.items) {
      if (keyText(key).includes(mark)) return { path, isKey: true }
      const found = find(value, [...path, keyText(key)])
      if (found !== undefined) return found
    }
  }
  if (isSeq(node)) {
    for (const [at, item] of node.items.entries()) {
      const found = find(item, [...path, at])
      if (found !== undefined) return found
    }
  }
  return undefined
}

const spotOf = (text: string): Spot | undefined => {
  const document = parseDocument(text, { logLevel: "silent", prettyErrors: false })
  const found = find(document.contents, [])
  if (found === undefined) return undefined
  let value: unknown
  try {
    value = document.toJS({ maxAliasCount: 1000 })
  } catch {
    // A faulty alias elsewhere: its value is not needed.
  }
  return { ...found, value }
}

/** Characters of a word that is being typed. */
const word = /[\w.@*-]*$/

/** Texts after which nothing is completed: comments, and values in quotes. */
const isElsewhere = (line: string): boolean =>
  /^\s*#|\s#/.test(line) || (line.match(/(?<!\\)["']/g) ?? []).length % 2 === 1

/** What may be completed at an offset. */
export const spotsAt = (text: string, offset: number): Spots => {
  const before = text.slice(0, offset)
  const begun = word.exec(before)?.[0] ?? ""
  const from = offset - begun.length
  const rest = text.slice(offset).replace(/^[\w.@*-]*/, "")
  const head = text.slice(0, from)
  const line = head.slice(head.lastIndexOf("\n") + 1)
  const written = { from, key: (name: string) => `${name}: `, value: (value: unknown) => inline(value, true) }
  if (text.length > longest || isElsewhere(line)) return { ...written, spots: [] }
  const isFirst = /^[\s-]*$/.test(line) && !/^[ \t]*:/.test(rest)
  const made = [...(isFirst ? [`${head}${mark}: ${rest}`] : []), `${head}${mark}${rest}`]
  return { ...written, spots: made.map(spotOf).filter((spot) => spot !== undefined) }
}

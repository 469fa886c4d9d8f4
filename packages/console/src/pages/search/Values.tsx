import type { ReactNode } from "react"
import { digitsIn } from "../../app/exact.ts"
import css from "./search.module.css"

type Source = Readonly<Record<string, unknown>>

/** A value as a text. */
export const textOf = (value: unknown): string =>
  value === undefined ? "" : typeof value === "string" ? value : JSON.stringify(value)

const isObject = (value: unknown): value is Source =>
  typeof value === "object" && value !== null && !Array.isArray(value) && digitsIn(value) === undefined

/** The value at a dotted path, even if the names of members contain dots. */
export const valueAt = (source: unknown, path: string): unknown => {
  if (Array.isArray(source)) {
    const found = source.map((one) => valueAt(one, path)).filter((one) => one !== undefined)
    return found.length === 0 ? undefined : found
  }
  if (!isObject(source)) return undefined
  if (Object.hasOwn(source, path)) return source[path]
  for (let dot = path.indexOf("."); dot !== -1; dot = path.indexOf(".", dot + 1)) {
    const head = path.slice(0, dot)
    if (!Object.hasOwn(source, head)) continue
    const found = valueAt(source[head], path.slice(dot + 1))
    if (found !== undefined) return found
  }
  return undefined
}

/** The fields of a document with their values. Members of objects are named by their dotted path. */
export const fieldsOf = (source: Source, prefix = ""): ReadonlyArray<readonly [string, unknown]> =>
  Object.entries(source).flatMap(([name, value]) =>
    isObject(value) && Object.keys(value).length > 0
      ? fieldsOf(value, `${prefix}${name}.`)
      : [[`${prefix}${name}`, value] as const]
  )

const operators = new Set(["AND", "OR", "NOT", "TO"])

/** The words of a query text that are marked in results. */
export const wordsOf = (q: string): ReadonlyArray<string> => {
  if (q.trimStart().startsWith("{")) return []
  const plain = q.replace(/\\(.)/g, "$1").replace(/_exists_:\S+|[\w.@*-]+:/g, " ")
  const phrases = [...plain.matchAll(/"([^"]+)"/g)].map(([, phrase = ""]) => phrase)
  const words = plain.replace(/"[^"]*"?/g, " ").split(/[^\p{L}\p{N}_.'/-]+/u)
  return [...new Set([...phrases, ...words.filter((word) => !operators.has(word))])]
    .map((word) => word.replace(/^[-.'/]+|[-.'/]+$/g, ""))
    .filter((word) => word.length > 1)
    .slice(0, 40)
}

/** A pattern that finds these words, ignoring case; undefined if there are none. */
export const markOf = (words: ReadonlyArray<string>): RegExp | undefined =>
  words.length === 0
    ? undefined
    : new RegExp(
        `(${[...words]
          .sort((one, other) => other.length - one.length)
          .map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"))
          .join("|")})`,
        "giu"
      )

/** A text with the matches of the search marked. */
export const marked = (text: string, mark: RegExp | undefined): ReactNode =>
  mark === undefined
    ? text
    : text.split(mark).map((part, at) =>
        // Every second part is a match.
        at % 2 === 1 ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text do not change.
          <mark key={at} className={css.mark}>
            {part}
          </mark>
        ) : (
          part
        )
      )

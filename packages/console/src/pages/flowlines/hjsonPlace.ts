import { type Marked, TextFault } from "@flow-gateway/client/hjson"
import { type Dialect, elementsOf, inlineOf, isQuotelessSafe, keyOf, type Read, readOf, styleOf } from "./hjsonStyle.ts"
import type { Spot, Spots } from "./Notation.ts"
import { longest, mark } from "./place.ts"
import type { Path } from "./schema.ts"

const find = (part: Marked, path: Path): { readonly path: Path; readonly isKey: boolean } | undefined => {
  if (typeof part.value === "string") return part.value.includes(mark) ? { path, isKey: false } : undefined
  for (const element of elementsOf(part)) {
    if (String(element.key).includes(mark)) return { path, isKey: true }
    const found = find(element, [...path, element.key])
    if (found !== undefined) return found
  }
  return undefined
}

/** Signs between members are left out of JSON too while it is typed. */
const spotOf = (text: string, isKey: boolean): ReadonlyArray<Spot> => {
  const read = readOf(text, "hjson")
  if (read instanceof TextFault) return []
  const found = find(read, [])
  return found === undefined || found.isKey !== isKey ? [] : [{ ...found, value: read.value }]
}

/** The places of a text with its mark as a key, and as a value. */
const spotsOf = (asKey: string, asValue: string): ReadonlyArray<Spot> => [
  ...spotOf(asKey, true),
  ...spotOf(asValue, false)
]

/** What stands on a line before the cursor without its whole quoted texts. */
const openPart = (line: string): string =>
  line.replace(/"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'/g, (all) => " ".repeat(all.length))

/**
 * What may be completed at an offset. In quotes it is a text of its own; elsewhere, keys and texts are written as those of
 * the rest.
 */
export const spotsAt = (text: string, offset: number, dialect: Dialect): Spots => {
  const lineStart = text.lastIndexOf("\n", offset - 1) + 1
  const open = openPart(text.slice(lineStart, offset))
  const begun = /[\w.@*-]*$/.exec(open)?.[0] ?? ""
  const from = offset - begun.length
  const head = text.slice(0, from)
  const quote = /["']$/.exec(open.slice(0, from - lineStart))?.[0]
  const rest = text.slice(offset).replace(/^[\w.@*-]*/, "")
  const nothing: Spots = { from, spots: [], key: (name) => name, value: String }
  const isElsewhere = /(?:^|\s)(?:#|\/\/)/.test(open) || (quote === undefined && /["']/.test(open))
  if (text.length > longest || isElsewhere) return nothing
  if (quote !== undefined) {
    const before = head.slice(0, -1)
    const isClosed = rest.startsWith(quote)
    const after = isClosed ? rest.slice(1) : rest
    const isKey = /^\s*:/.test(after)
    const asValue = `${before}"${mark}"${after}`
    return {
      from,
      spots: spotsOf(isKey ? asValue : `${before}"${mark}": ""${after}`, asValue),
      key: (name) => (isClosed ? name : `${name}${quote}${isKey ? "" : ": "}`),
      value: (value) => (isClosed ? String(value) : `${value}${quote}`)
    }
  }
  const isKey = /^[ \t]*:/.test(rest)
  const asValue = `${head}"${mark}"${rest}`
  const asKey = isKey ? asValue : `${head}${dialect === "json" ? `"${mark}"` : mark}: ""${rest}`
  const isLineEnd = /^[ \t]*(?:[\r\n]|$)/.test(rest)
  const unread: Read = { text: "", dialect, value: null, mark: { at: 0, end: 0 } }
  const [whole = unread] = [asKey, asValue].flatMap((one) => {
    const read = readOf(one, "hjson")
    return read instanceof TextFault ? [] : [read]
  })
  const style = styleOf({ ...whole, dialect })
  return {
    from,
    spots: spotsOf(asKey, asValue),
    key: (name) => keyOf(name, style) + (isKey ? "" : style.colon),
    value: (value) => {
      const isPlain = dialect === "hjson" && isLineEnd && typeof value === "string" && isQuotelessSafe(value)
      return isPlain ? value : inlineOf(value, style)
    }
  }
}

import type { Marked } from "@flow-gateway/client/hjson"
import {
  blockOf,
  commaIn,
  type Element,
  elementsOf,
  indentAt,
  inlineOf,
  isNested,
  isOnOneLine,
  isQuotelessSafe,
  keyOf,
  lineStartOf,
  linesOf,
  memberOf,
  quoted,
  type Read,
  type Style
} from "./hjsonStyle.ts"
import type { Path } from "./schema.ts"

/** A piece of text in the place of another one. */
export interface Change {
  readonly from: number
  readonly to: number
  readonly insert: string
}

export const changed = (text: string, changes: ReadonlyArray<Change>): string =>
  [...changes]
    .sort((one, other) => other.from - one.from)
    .reduce((made, { from, to, insert }) => made.slice(0, from) + insert + made.slice(to), text)

/** The parts from the root to a path, as far as they are there. */
export const partsAt = (root: Marked, path: Path): ReadonlyArray<Marked> => {
  const parts = [root]
  for (const key of path) {
    const found = elementsOf(parts.at(-1)!).find((element) => String(element.key) === String(key))
    if (found === undefined) break
    parts.push(found)
  }
  return parts
}

const isBlank = (text: string): boolean => text.trim() === ""

/** The offset behind the line on which this one is. */
const lineEndOf = (text: string, at: number): number => {
  const end = text.indexOf("\n", at)
  return end === -1 ? text.length : end
}

const isBare = ({ text }: Read, { mark }: Marked): boolean => mark.members !== undefined && text.charAt(mark.at) !== "{"

/** Where the members of a value end: at its bracket. */
const closeOf = (read: Read, part: Marked): number => (isBare(read, part) ? read.text.length : part.mark.end - 1)

/** A part of a text without quotes, which no comma may follow. */
const isQuoteless = (text: string, { value, mark }: Marked): boolean =>
  typeof value === "string" && !/["']/.test(text.charAt(mark.at))

/** Writes another value in the place of the one at a path. */
export const written = (read: Read, path: Path, value: unknown, style: Style): ReadonlyArray<Change> => {
  const { text } = read
  const parts = partsAt(read, path)
  const part = parts.at(-1)!
  const parent = parts.at(-2)
  const { at, end } = part.mark
  const source = text.slice(at, end)
  const isInline =
    parent === undefined
      ? read.dialect === "json" && !text.includes("\n")
      : !isBare(read, parent) && isOnOneLine(text, parent)
  const indent = indentAt(text, at)
  if (typeof value !== "string") {
    const isLine = isNested(part.value) && elementsOf(part).length > 0 ? isOnOneLine(text, part) : isInline
    return [{ from: at, to: end, insert: isLine ? inlineOf(value, style) : linesOf(value, indent, style) }]
  }
  if (isQuoteless(text, part) && isQuotelessSafe(value)) return [{ from: at, to: end, insert: value }]
  const column = at - lineStartOf(text, at)
  if (source.startsWith("'''") || column === indent.length) {
    const block = isInline ? undefined : blockOf(value, column, style)
    if (block !== undefined) return [{ from: at, to: end, insert: block }]
  } else if (!isInline) {
    // Below its key, where a line of the text has the least before it.
    const from = text.slice(0, at).trimEnd().length
    const below = indent + style.unit
    const block = text.charAt(from - 1) === ":" ? blockOf(value, below.length, style) : undefined
    if (block !== undefined) return [{ from, to: end, insert: style.eol + below + block }]
  }
  return [{ from: at, to: end, insert: quoted(value, source.startsWith("'''") ? '"' : source.charAt(0)) }]
}

/** The offset behind the comments that stand on the same line. */
const behindComments = (text: string, from: number): number => {
  const found = /(?:[ \t]*\/\*[\s\S]*?\*\/)*(?:[ \t]*(?:#|\/\/)[^\r\n]*)?/y
  found.lastIndex = from
  return from + (found.exec(text)?.[0].length ?? 0)
}

export type Given = readonly [key: string | number, value: unknown]

/** Puts members or items in a value, before the one at an index. */
export const inserted = (
  read: Read,
  part: Marked,
  index: number,
  given: ReadonlyArray<Given>,
  style: Style
): ReadonlyArray<Change> => {
  const { text } = read
  const { eol } = style
  const elements = elementsOf(part)
  const isList = part.mark.items !== undefined
  const inline = ([key, value]: Given) =>
    (isList ? "" : keyOf(String(key), style) + style.colon) + inlineOf(value, style)
  const previous = elements[index - 1]
  const next = elements[index]
  const near = previous ?? next
  const { at, end } = part.mark
  if (near === undefined) {
    // Only comments are in it.
    const inner = text.slice(at + 1, end - 1).trimEnd()
    const indent = indentAt(text, at)
    const deeper = indent + style.unit
    const lines = given.map(
      ([key, value]) => deeper + (isList ? linesOf(value, deeper, style) : memberOf(String(key), value, deeper, style))
    )
    return [
      {
        from: at + 1,
        to: end - 1,
        insert: inner + eol + lines.join((style.commas ? "," : "") + eol) + eol + indent
      }
    ]
  }
  const between = (one: Element, other: Element) => text.slice(one.mark.end, other.start)
  const other = previous === undefined ? elements[1] : (next ?? elements[index - 2])
  const pair = other === undefined ? undefined : other.start < near.start ? [other, near] : [near, other]
  const isLined =
    pair === undefined
      ? isBare(read, part) || text.slice(at + 1, near.start).includes("\n")
      : between(pair[0]!, pair[1]!).includes("\n")
  const comma = previous === undefined ? -1 : commaIn(text, previous.mark.end, next?.start ?? closeOf(read, part))
  const commas =
    read.dialect === "json" ||
    (pair === undefined ? comma >= 0 || !isLined : commaIn(text, pair[0]!.mark.end, pair[1]!.start) >= 0)
  const isFollowed = comma >= 0 || (next !== undefined && (commas || !isLined))
  const needsComma = previous !== undefined && comma < 0 && (commas || !isLined) && !isQuoteless(text, previous)
  const begun: ReadonlyArray<Change> = needsComma
    ? [{ from: previous.mark.end, to: previous.mark.end, insert: "," }]
    : []
  const from = comma >= 0 ? comma + 1 : (previous?.mark.end ?? at + 1)
  if (!isLined) {
    const space = style.comma.slice(1)
    const lead = previous === undefined ? style.pad : space
    const trail = previous === undefined && !/\s/.test(text.charAt(from)) ? space : ""
    const insert = lead + given.map(inline).join(style.comma) + (isFollowed ? "," : "") + trail
    return needsComma ? [{ from, to: from, insert: `,${insert}` }] : [{ from, to: from, insert }]
  }
  const own = indentAt(text, near.start)
  const isAlone = lineStartOf(text, near.start) + own.length === near.start
  const indent = isAlone ? own : indentAt(text, at) + style.unit
  const isShort = (line: string) => line.length <= 100 && isNested(near.value) && isOnOneLine(text, near)
  const lines = given.map((one) => {
    const line = inline(one)
    const [key, value] = one
    if (isList && isNested(value) && isShort(line)) return line
    return isList ? linesOf(value, indent, style) : memberOf(String(key), value, indent, style)
  })
  const place = behindComments(text, from)
  const insert = lines.map((line) => eol + indent + line).join(commas ? "," : "") + (isFollowed && commas ? "," : "")
  return place === from && needsComma
    ? [{ from, to: from, insert: `,${insert}` }]
    : [...begun, { from: place, to: place, insert }]
}

/** Takes a member or an item away, but no comment. */
export const removed = (read: Read, part: Marked, index: number): ReadonlyArray<Change> => {
  const { text } = read
  const elements = elementsOf(part)
  const element = elements[index]!
  const previous = elements[index - 1]
  const next = elements[index + 1]
  const { at, end } = part.mark
  const close = closeOf(read, part)
  const after = commaIn(text, element.mark.end, next?.start ?? close)
  const before = previous === undefined ? -1 : commaIn(text, previous.mark.end, element.start)
  const isEmpty =
    elements.length === 1 &&
    !isBare(read, part) &&
    isBlank(text.slice(at + 1, element.start)) &&
    isBlank(text.slice(element.mark.end, close).replace(",", ""))
  if (isEmpty) return [{ from: at, to: end, insert: part.mark.items === undefined ? "{}" : "[]" }]
  // The comma before the last one goes with it, unless it is one of those that stand behind each.
  const isLast = next === undefined
  const cuts: Array<Change> = []
  let from = element.start
  let to = element.mark.end
  if (after >= 0) {
    if (/^[ \t]*$/.test(text.slice(to, after))) to = after + 1
    else cuts.push({ from: after, to: after + 1, insert: "" })
  } else if (isLast && previous !== undefined && before >= 0) {
    if (/^[ \t]*,[ \t]*$/.test(text.slice(previous.mark.end, from))) from = previous.mark.end
    else cuts.push({ from: before, to: before + 1, insert: "" })
  }
  const lineStart = lineStartOf(text, from)
  const lineEnd = lineEndOf(text, to)
  const isAlone = isBlank(text.slice(lineStart, from)) && isBlank(text.slice(to, lineEnd))
  if (isAlone) {
    from = lineStart
    to = Math.min(text.length, lineEnd + 1)
    if (lineEnd === text.length && from > 0) from--
  } else if (from === element.start) {
    while (/[ \t]/.test(text.charAt(to))) to++
  }
  return [...cuts, { from, to, insert: "" }]
}

import { type Marked, readHjson, TextFault } from "@flow-gateway/client/hjson"
import { isObject } from "./schema.ts"

export type Dialect = "json" | "hjson"

/** A text with what it says, and where. */
export interface Read extends Marked {
  readonly text: string
  readonly dialect: Dialect
}

/** Reads a text, or gives its fault. */
export const readOf = (text: string, dialect: Dialect): Read | TextFault => {
  try {
    return { ...readHjson(text, dialect), text, dialect }
  } catch (cause) {
    if (cause instanceof TextFault) return cause
    throw cause
  }
}

/** A member or an item: where it begins, with its key if it has one. */
export interface Element extends Marked {
  readonly key: string | number
  readonly start: number
}

/** The members or items of a value, in the order of the text. */
export const elementsOf = ({ value, mark }: Marked): ReadonlyArray<Element> => {
  const marks: ReadonlyArray<readonly [string | number, Marked["mark"]]> = [
    ...(mark.members ?? []),
    ...(mark.items ?? []).entries()
  ]
  return marks.map(([key, own]) => ({
    key,
    start: own.keyAt ?? own.at,
    value: Reflect.get(Object(value), key),
    mark: own
  }))
}

export const isNested = (value: unknown): value is object => Array.isArray(value) || isObject(value)

const isFilled = (value: unknown): boolean => isNested(value) && Object.keys(value).length > 0

/** Whether the value stands on one line. */
export const isOnOneLine = (text: string, { mark }: Marked): boolean => !text.slice(mark.at, mark.end).includes("\n")

export const lineStartOf = (text: string, at: number): number => text.lastIndexOf("\n", at - 1) + 1

/** The blanks at the beginning of the line on which this offset is. */
export const indentAt = (text: string, at: number): string => {
  const start = lineStartOf(text, at)
  return /[ \t]*/y.exec(text.slice(start))?.[0] ?? ""
}

const gaps = /#[^\n]*|\/\/[^\n]*|\/\*[\s\S]*?\*\/|[^,]/y

/** The offset of the comma between two values, which is in no comment; -1 if there is none. */
export const commaIn = (text: string, from: number, to: number): number => {
  let at = from
  while (at < to && text.charAt(at) !== ",") {
    gaps.lastIndex = at
    at += gaps.exec(text)?.[0].length ?? 1
  }
  return at < to ? at : -1
}

/** How a text is written. */
export interface Style {
  readonly dialect: Dialect
  /** One level of indentation, and a line end. */
  readonly unit: string
  readonly eol: string
  /** Whether commas stand between members on lines of their own. */
  readonly commas: boolean
  readonly quotedKeys: boolean
  readonly colon: string
  /** What stands in brackets on one line: before and after the members, and between them. */
  readonly pad: string
  readonly comma: string
  /** Whether short lists stand on one line. */
  readonly inlineLists: boolean
}

/** How the text is written: each time as it is the first time that there is a choice. */
export const styleOf = (read: Read): Style => {
  const { text, dialect } = read
  const isJson = dialect === "json"
  let unit: string | undefined
  let commas = isJson ? true : undefined
  let quotedKeys = isJson ? true : undefined
  let colon: string | undefined
  let pad: string | undefined
  let comma: string | undefined
  let inlineLists: boolean | undefined
  const visit = (part: Marked): void => {
    const elements = elementsOf(part)
    const [first] = elements
    if (first === undefined) return
    const isInline = isOnOneLine(text, part)
    const { at } = part.mark
    if (isInline && first.start > at) {
      pad ??= /\s/.test(text.charAt(at + 1)) ? " " : ""
      if (Array.isArray(part.value)) inlineLists = true
    } else if (Array.isArray(part.value)) inlineLists ??= false
    // Only as long as it is asked: a line may be long, and have much in it.
    if (unit === undefined && !isInline && first.start > at) {
      const [outer, inner] = [indentAt(text, at), indentAt(text, first.start)]
      if (inner.length > outer.length && inner.startsWith(outer)) unit = inner.slice(outer.length)
    }
    for (const [index, element] of elements.entries()) {
      if (typeof element.key === "string") {
        quotedKeys ??= /["']/.test(text.charAt(element.start))
        colon ??=
          text.slice(element.start, element.mark.at).trimEnd().length < element.mark.at - element.start ? ": " : ":"
      }
      const next = elements[index + 1]
      if (next !== undefined) {
        const found = commaIn(text, element.mark.end, next.start)
        if (text.slice(element.mark.end, next.start).includes("\n")) commas ??= found >= 0
        else if (found >= 0) comma ??= /\s/.test(text.charAt(found + 1)) ? ", " : ","
      }
      visit(element)
    }
  }
  visit(read)
  const between = colon ?? (isJson && !text.includes("\n") ? ":" : ": ")
  return {
    dialect,
    unit: unit ?? "  ",
    eol: text.includes("\r\n") ? "\r\n" : "\n",
    commas: commas ?? false,
    quotedKeys: quotedKeys ?? false,
    colon: between,
    pad: pad ?? (isJson ? "" : " "),
    comma: comma ?? (between === ":" ? "," : ", "),
    inlineLists: inlineLists ?? !isJson
  }
}

/** Characters that a text may not have where nothing can be escaped. */
const unsafe = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029\ufeff]/

/** Whether a text without quotes, up to the end of the line, is this text and nothing else. */
export const isQuotelessSafe = (value: string): boolean => {
  if (/[\n\t]/.test(value) || unsafe.test(value) || !value.isWellFormed()) return false
  const read = readOf(`{a: ${value}\n}`, "hjson")
  return !(read instanceof TextFault) && isObject(read.value) && read.value["a"] === value
}

/** A text of several lines between `'''`, which stand at this column; undefined if it cannot be one. */
export const blockOf = (value: string, column: number, { dialect, eol }: Style): string | undefined => {
  const isOne = dialect === "hjson" && value.includes("\n")
  if (!isOne || value.includes("'''") || unsafe.test(value) || !value.isWellFormed()) return undefined
  const margin = " ".repeat(column)
  const lines = value.split("\n").map((line) => (line === "" ? "" : margin + line))
  return ["'''", ...lines, `${margin}'''`].join(eol)
}

/** A text in quotes of this kind. */
export const quoted = (value: string, quote: string): string => {
  const text = JSON.stringify(value)
  return quote === "'" ? `'${text.slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'` : text
}

export const keyOf = (name: string, { quotedKeys }: Style): string =>
  !quotedKeys && /^[\w.@$-]+$/.test(name) ? name : JSON.stringify(name)

/** A value on one line. */
export const inlineOf = (value: unknown, style: Style): string => {
  const { pad, comma, colon } = style
  if (!isFilled(value)) return Array.isArray(value) ? "[]" : isObject(value) ? "{}" : JSON.stringify(value)
  if (Array.isArray(value)) return `[${pad}${value.map((one) => inlineOf(one, style)).join(comma)}${pad}]`
  const members = Object.entries(Object(value)).map(([key, one]) => keyOf(key, style) + colon + inlineOf(one, style))
  return `{${pad}${members.join(comma)}${pad}}`
}

/** Lists up to this length stand on one line where others do, unless something stands in their items. */
const short = 80

const isFlat = (value: unknown): boolean => !isNested(value) || !Object.values(value).some(isFilled)

/** A value on lines of its own, below one with this indentation. */
export const linesOf = (value: unknown, indent: string, style: Style): string => {
  const { eol, commas, inlineLists } = style
  const deeper = indent + style.unit
  const line = inlineOf(value, style)
  const isShort = Array.isArray(value) && inlineLists && value.every(isFlat) && line.length <= short
  if (!isFilled(value) || isShort) return line
  const parts = Array.isArray(value)
    ? value.map((one) => linesOf(one, deeper, style))
    : Object.entries(Object(value)).map(([key, one]) => memberOf(key, one, deeper, style))
  const inner = parts.map((part) => deeper + part).join((commas ? "," : "") + eol)
  const [open, close] = Array.isArray(value) ? ["[", "]"] : ["{", "}"]
  return open + eol + inner + eol + indent + close
}

/** A member on lines of its own. */
export const memberOf = (key: string, value: unknown, indent: string, style: Style): string => {
  const below = indent + style.unit
  const block = typeof value === "string" ? blockOf(value, below.length, style) : undefined
  if (block !== undefined) return `${keyOf(key, style)}:${style.eol}${below}${block}`
  return keyOf(key, style) + style.colon + linesOf(value, indent, style)
}

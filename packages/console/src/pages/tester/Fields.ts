import type { Operator } from "./Draft.ts"

/** The place of a field in a pattern. Offsets are UTF-16 units. */
export interface FieldPlace {
  readonly name: string
  readonly start: number
  readonly end: number
}

export const colours = 8

/** Writes the nested names `[a][b]` and `a.b` in one way. */
export const plainName = (name: string): string =>
  name.startsWith("[")
    ? name
        .replace(/^\[/, "")
        .replace(/\]?\??$/, "")
        .replaceAll("][", ".")
    : name

const grokField = /%\{\w+:([^}:=]+)(?::\w+)?(?:=[^}]*)?\}|\(\?<([A-Za-z_][\w.[\]@-]*)>/g
const dissectField = /%\{([^}]*)\}/g

const dissectName = (key: string): string =>
  key
    .replace(/^[+*&?]+/, "")
    .replace(/->$/, "")
    .replace(/\|\w+$/, "")
    .replace(/\/\d+$/, "")

/** The field names of the patterns, in order. */
export const fieldPlaces = (operator: Operator, text: string): ReadonlyArray<FieldPlace> => {
  if (operator === "flowlet") return []
  const found: Array<FieldPlace> = []
  let offset = 0
  for (const line of text.split("\n")) {
    if (!line.startsWith("#")) {
      for (const match of line.matchAll(operator === "grok" ? grokField : dissectField)) {
        const [whole, first = "", second] = match
        const skips = operator === "dissect" && /^(\?|$)/.test(first)
        const name = operator === "grok" ? plainName(second ?? first).replace(/\?$/, "") : dissectName(first)
        const start = offset + match.index
        if (!skips && name !== "") found.push({ name, start, end: start + whole.length })
      }
    }
    offset += line.length + 1
  }
  return found
}

/** The colour of each field, as a number, in the order of the names. */
export const colouring = (names: Iterable<string>): ReadonlyMap<string, number> => {
  const found = new Map<string, number>()
  for (const name of names) if (!found.has(name)) found.set(name, found.size % colours)
  return found
}

/** A part of a sample: the value of a field, or the text between two values. */
export interface Segment {
  readonly text: string
  readonly name?: string
}

interface Span {
  readonly name: string
  readonly start: number
  readonly end: number
}

/** Splits a sample at its captures. Of nested captures, the inner one is shown. */
export const segments = (text: string, captures: ReadonlyArray<Span>): ReadonlyArray<Segment> => {
  const cuts = new Set([0, text.length])
  for (const { start, end } of captures) cuts.add(Math.min(start, text.length)).add(Math.min(end, text.length))
  const sorted = [...cuts].sort((one, other) => one - other)
  const inner = captures.toSorted((one, other) => one.end - one.start - (other.end - other.start))
  return sorted.slice(0, -1).map((start, at) => {
    const end = sorted[at + 1]!
    const found = inner.find((span) => span.start <= start && span.end >= end && span.end > span.start)
    return found === undefined
      ? { text: text.slice(start, end) }
      : { text: text.slice(start, end), name: plainName(found.name) }
  })
}

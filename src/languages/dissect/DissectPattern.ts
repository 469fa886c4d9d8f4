import { fieldPath, refusedSegment } from "../FieldPath.ts"
import { PatternError, position } from "../PatternError.ts"
import { type Dialect, type Key, readKey } from "./Key.ts"

/** A key and the literal after it. `start` and `end` are the offsets of the key in the pattern. */
export interface Part {
  readonly key: Key
  readonly literal: string
  readonly start: number
  readonly end: number
}

export interface Parsed {
  readonly leading: string
  readonly parts: ReadonlyArray<Part>
}

/** Splits a pattern into keys and literals, and validates their combination. Throws PatternError. */
export const readPattern = (text: string, dialect: Dialect): Parsed => {
  const fault = (detail: string, start: number, end: number) =>
    new PatternError({ part: "pattern", detail, ...position(text, start), text: text.slice(start, end), pattern: 1 })
  const parts: Array<Part> = []
  const first = text.indexOf("%{")
  if (first < 0) throw fault("a dissect pattern needs at least one %{key}", 0, text.length)
  let start = first
  while (start >= 0) {
    const brace = text.indexOf("}", start)
    if (brace < 0) throw fault("unclosed %{", start, text.length)
    const nested = text.indexOf("%{", start + 2)
    if (nested >= 0 && nested < brace) throw fault("unclosed %{", start, nested)
    const next = text.indexOf("%{", brace + 1)
    const key = readKey(text.slice(start + 2, brace), dialect)
    if (typeof key === "string") throw fault(key, start, brace + 1)
    const end = brace + 1
    const refused = refusedSegment(fieldPath(key.name))
    if (refused !== undefined) throw fault(`"${refused}" cannot be a field name`, start, end)
    parts.push({ key, literal: next < 0 ? text.slice(end) : text.slice(end, next), start, end })
    start = next
  }
  if (parts.every(({ key }) => key.kind === "skip"))
    throw fault("every key is skipped: nothing would be extracted", first, text.length)
  checkPairs(parts, dialect, fault)
  return { leading: text.slice(0, first), parts }
}

const checkPairs = (
  parts: ReadonlyArray<Part>,
  dialect: Dialect,
  fault: (detail: string, start: number, end: number) => PatternError
): void => {
  // In Logstash the name may come from a field of the event, so a lone & is valid.
  if (dialect === "logstash") return
  const names = new Set<string>()
  const values = new Set<string>()
  for (const { key } of parts) {
    if (key.kind === "name") names.add(key.name)
    else if (key.kind === "value") values.add(key.name)
    else if (dialect === "beats" && key.name !== "") names.add(key.name)
  }
  for (const { key, start, end } of parts) {
    if (key.kind === "name" && !values.has(key.name) && dialect === "elasticsearch")
      throw fault(`%{*${key.name}} has no %{&${key.name}}`, start, end)
    if (key.kind === "value" && !names.has(key.name)) throw fault(`%{&${key.name}} has no key to name it`, start, end)
    const twice = parts.find((other) => other.key.kind === key.kind && other.key.name === key.name)!.start < start
    if ((key.kind === "name" || key.kind === "value") && twice && dialect === "elasticsearch")
      throw fault(`%{*${key.name}} and %{&${key.name}} must be one pair`, start, end)
  }
}

import * as Result from "effect/Result"
import type { ConversionFailure } from "../Coercion.ts"
import type { CaptureSpan, Explanation } from "../Explanation.ts"
import { type Fields, fieldPath } from "../FieldPath.ts"
import { generated } from "../Generated.ts"
import { PatternError } from "../PatternError.ts"
import { assembler } from "./Assemble.ts"
import { type Cuts, cut } from "./Cut.ts"
import { type Parsed, readPattern } from "./DissectPattern.ts"
import type { Dialect } from "./Key.ts"

export type { Dialect } from "./Key.ts"

export interface DissectOptions {
  /** Separator of appended values. Default empty; in the Logstash and Beats dialects, the literal before the value. */
  readonly appendSeparator?: string
  readonly dialect?: Dialect
}

interface DissectMatch {
  readonly fields: Fields
  readonly failures: ReadonlyArray<ConversionFailure>
}

interface Dissect {
  /**
   * The fields of the line, or undefined when any part does not match. Logstash's `%{&name}` may take a name from
   * `event`.
   */
  readonly match: (line: string, event?: Fields) => DissectMatch | undefined
  readonly explain: (line: string) => Explanation
}

const noFailures: ReadonlyArray<ConversionFailure> = Object.freeze([])

/**
 * Compiles a dissect pattern: literals and `%{key}`, with `+` append, `/n` order, `?` skip, `*` and `&` dynamic names,
 * `->` padding, `|type` conversion. @see https://www.elastic.co/docs/reference/enrich-processor/dissect-processor
 */
export const compile = (pattern: string, options: DissectOptions = {}): Result.Result<Dissect, PatternError> =>
  Result.try({
    try: () => make(pattern, readPattern(pattern, options.dialect ?? "elasticsearch"), options),
    catch: (error) => {
      if (error instanceof PatternError) return error
      throw error
    }
  })

const make = (
  text: string,
  parsed: Parsed,
  { appendSeparator, dialect = "elasticsearch" }: DissectOptions
): Dissect => {
  const assemble = assembler(parsed, dialect, appendSeparator)
  const general = (line: string, event?: Fields): DissectMatch | undefined => {
    const cuts = cut(parsed, line)
    if (cuts.failed !== undefined) return undefined
    const failures: Array<ConversionFailure> = []
    const fields = assemble(line, cuts, failures, event)
    return { fields, failures: failures.length === 0 ? noFailures : failures }
  }
  const match = isPlain(parsed) ? plain(parsed) : general
  return { match, explain: (line) => explain(text, parsed, line, general(line), cut(parsed, line)) }
}

/** Whether the pattern has only distinct flat fields and skips, so that a line can be cut directly into an object. */
const isPlain = ({ parts }: Parsed): boolean => {
  const fields = parts.filter(({ key }) => key.kind === "field")
  return (
    parts.every(({ key }) => (key.kind === "field" || key.kind === "skip") && key.width === undefined) &&
    parts.every(({ literal }, index) => literal !== "" || index === parts.length - 1) &&
    fields.every(({ key }) => key.type === "string" && fieldPath(key.name).length === 1) &&
    new Set(fields.map(({ key }) => key.name)).size === fields.length
  )
}

const plain = ({ leading, parts }: Parsed) => {
  const count = parts.length
  const start = leading.length
  const names = parts.map(({ key }) => (key.kind === "skip" ? "" : fieldPath(key.name)[0]!))
  const literals = parts.map(({ literal }) => literal)
  const padded = parts.map(({ key, literal }) => key.padded && literal !== "")
  return (line: string): DissectMatch | undefined => {
    if (line.length <= start || !line.startsWith(leading)) return undefined
    const fields: Fields = {}
    let position = start
    for (let index = 0; index < count; index++) {
      const literal = literals[index]!
      const end = literal === "" ? line.length : line.indexOf(literal, position)
      if (end < 0) return undefined
      const name = names[index]!
      if (name !== "") fields[name] = line.slice(position, end)
      position = end + literal.length
      if (padded[index]) while (line.startsWith(literal, position)) position += literal.length
    }
    return { fields, failures: noFailures }
  }
}

/** A copy of the event with the fields of the line as its members, or undefined when any part does not match. */
type Extend = (line: string, event: Fields) => Fields | undefined

/**
 * Matches and copies in one step with generated code, as V8 makes an object with known members at once. Undefined for
 * patterns with other than flat texts.
 */
export const compileExtend = (pattern: string, { dialect = "elasticsearch" }: DissectOptions): Extend | undefined => {
  const parsed = readPattern(pattern, dialect)
  if (!isPlain(parsed)) return undefined
  const { leading, parts } = parsed
  const quoted = (text: string) => JSON.stringify(text)
  const start = leading === "" ? "" : ` || !line.startsWith(${quoted(leading)})`
  const cuts = parts.flatMap(({ key, literal }, at) => {
    const from = at === 0 ? `${leading.length}` : `from${at}`
    if (literal === "") return [`const end${at} = line.length`]
    return [
      `const end${at} = line.indexOf(${quoted(literal)}, ${from})`,
      `if (end${at} < 0) return undefined`,
      `let from${at + 1} = end${at} + ${literal.length}`,
      ...(key.padded
        ? [`while (line.startsWith(${quoted(literal)}, from${at + 1})) from${at + 1} += ${literal.length}`]
        : [])
    ]
  })
  const members = parts.flatMap(({ key }, at) => {
    if (key.kind === "skip") return []
    const from = at === 0 ? `${leading.length}` : `from${at}`
    return [`[${quoted(fieldPath(key.name)[0]!)}]: line.slice(${from}, end${at})`]
  })
  return generated(
    [
      "(line, event) => {",
      `if (line.length <= ${leading.length}${start}) return undefined`,
      ...cuts,
      `return { ...event, ${members.join(", ")} }`,
      "}"
    ].join("\n")
  )
}

const explain = (
  text: string,
  { leading, parts }: Parsed,
  line: string,
  found: DissectMatch | undefined,
  cuts: Cuts
): Explanation => {
  const captures = cuts.starts.flatMap((start, index): ReadonlyArray<CaptureSpan> => {
    const { kind, name } = parts[index]!.key
    const end = cuts.ends[index]!
    return kind === "skip" ? [] : [{ name, value: line.slice(start, end), start, end }]
  })
  const hints: Array<string> = []
  if (found !== undefined && cuts.reached < line.length)
    hints.push(`the text after offset ${cuts.reached} is ignored: the pattern ends with a literal`)
  if (parts.some(({ literal, key }, index) => literal === "" && key.width === undefined && index < parts.length - 1))
    hints.push("two keys with no literal between them never match")
  const base = { pattern: 1, output: found?.fields, captures, hints }
  const conversion = found?.failures[0]
  if (conversion !== undefined) {
    const { field, detail } = conversion
    const failure = { reason: "conversion" as const, matchedUpTo: cuts.reached, failedAt: field, detail }
    return { ...base, matched: false, failure }
  }
  if (cuts.failed === undefined) return { ...base, matched: true, failure: undefined }
  const part = cuts.failed < 0 ? undefined : parts[cuts.failed]!
  const failedAt = part === undefined ? leading : text.slice(part.start, part.end + part.literal.length)
  const missing = part === undefined ? leading : part.literal
  const detail =
    line.length <= leading.length
      ? "the line is not longer than the literal that the pattern starts with"
      : part !== undefined && missing === ""
        ? "two keys with no literal between them never match"
        : `${JSON.stringify(missing)} not found ${part === undefined ? "at the start" : `after offset ${cuts.reached}`}`
  return {
    ...base,
    matched: false,
    captures: [],
    failure: { reason: "no-match", matchedUpTo: cuts.reached, failedAt, detail }
  }
}

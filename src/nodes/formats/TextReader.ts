import * as Predicate from "effect/Predicate"
import { isDeeperThan, parseJson } from "../../languages/json/JsonValue.ts"
import type { BlockFormat } from "../Capabilities.ts"
import type { Event } from "../Node.ts"
import type { Failures } from "../records/Failures.ts"
import { tooLong } from "./LineReader.ts"
import { LineSplitter } from "./LineSplitter.ts"

/** Text formats of files and requests. */
export type TextFormat = "lines" | "ndjson" | "csv"

/**
 * Maximum nesting of a record: encoding it as JSON is recursive. A line that is too short to exceed it is not checked.
 */
const maxDepth = 200
const shallowLength = 2 * maxDepth

/** Parses the text of one source into records. */
interface TextReader {
  /** The text may end anywhere, even inside a line. */
  readonly push: (text: string, into: Array<Event>) => void
  readonly end: (into: Array<Event>) => void
}

/** A JSON object as a record, or why the value is not one. */
export const recordOf = (value: unknown, length: number): Event | string => {
  if (!Predicate.isObject(value)) return "the line is JSON, but not an object"
  if (length > shallowLength && isDeeperThan(value, maxDepth)) {
    return `the record is nested deeper than ${maxDepth} levels`
  }
  return value
}

const takeLines = (lines: ReadonlyArray<string>, into: Array<Event>): void => {
  for (const message of lines) into.push({ message })
}

const takeJson = (lines: ReadonlyArray<string>, into: Array<Event>, failures: Failures): void => {
  for (const line of lines) {
    if (line.trim() === "") continue
    let record: Event | string
    try {
      record = recordOf(parseJson(line), line.length)
    } catch {
      record = "the line is not JSON"
    }
    if (typeof record === "string") failures.add({ message: line }, record)
    else into.push(record)
  }
}

/** Creates a reader; invalid lines are added to `failures`. */
export const textReader = (format: BlockFormat, failures: Failures): TextReader => {
  const splitter = new LineSplitter((message) => failures.add({ message }, tooLong))
  const take = format === "lines" ? takeLines : takeJson
  return {
    push: (text, into) => take(splitter.push(text), into, failures),
    end: (into) => take(splitter.end(), into, failures)
  }
}

/** A decoder of the encoding with this label of the Encoding Standard; of UTF-8 for an unknown label. */
const decoderOf = (label: string): TextDecoder => {
  // TextDecoder's own removal also drops a byte order mark in the middle when the first chunk ends inside a character.
  const options = { ignoreBOM: true }
  try {
    return new TextDecoder(label, options)
  } catch {
    return new TextDecoder("utf-8", options)
  }
}

/**
 * Decodes text in chunks: keeps incomplete characters for the next chunk, replaces invalid bytes with U+FFFD, and
 * removes a byte order mark. A call without an argument returns the rest at the end.
 */
export const textDecoder = (label = "utf-8"): ((chunk?: Uint8Array) => string) => {
  const decoder = decoderOf(label)
  let begun = false
  return (chunk) => {
    const text = chunk === undefined ? decoder.decode() : decoder.decode(chunk, { stream: true })
    if (begun || text === "") return text
    begun = true
    return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text
  }
}

import { parseJson } from "../../languages/json/JsonValue.ts"
import type { Event } from "../Node.ts"
import type { Failures } from "../records/Failures.ts"
import { recordOf, textReader } from "./TextReader.ts"

/** The media types of bodies with records; "" is one that says none. */
export const bodyTypes: ReadonlySet<string> = new Set([
  "application/json",
  "application/x-ndjson",
  "application/ndjson",
  "application/jsonl",
  "text/plain",
  ""
])

/** The records of a body, or why it has none. Invalid records among them are added to `failures`. */
export const recordsOf = (type: string, text: string, failures: Failures): ReadonlyArray<Event> | string => {
  if (type !== "application/json") {
    const format = type === "text/plain" ? "lines" : "ndjson"
    const events: Array<Event> = []
    const reader = textReader(format, failures)
    reader.push(text, events)
    reader.end(events)
    return events
  }
  let value: unknown
  try {
    value = parseJson(text)
  } catch {
    return "The body is not JSON"
  }
  const events: Array<Event> = []
  for (const item of Array.isArray(value) ? value : [value]) {
    const record = recordOf(item, text.length)
    if (typeof record === "string") return "The body is neither a JSON object nor a list of JSON objects"
    events.push(record)
  }
  return events
}

import { Schema } from "effect"
import { Failures } from "./Failures.ts"
import { isDeeperThan, isObject, parseJson } from "./formats/Json.ts"
import { LineSplitter, maxLineLength } from "./formats/Lines.ts"
import { chosen, type Emit, type Event, errors, type NodeContext, node, runtimes } from "./Node.ts"
import { extensionOf, relativePath } from "./Paths.ts"

const formats = ["lines", "ndjson"] as const
type Format = (typeof formats)[number]

/** A batch is sent when it has this many records, or characters of input. */
const batchRecords = 1000
const batchCharacters = 262_144

/** Levels of a record. Whatever writes it as JSON needs stack for each; a shorter line cannot have as many. */
const maxDepth = 200
const shallowLength = 2 * maxDepth

const formatOf = (path: string): Format | undefined => {
  const extension = extensionOf(path)
  if (extension === "ndjson" || extension === "jsonl" || extension === "json") return "ndjson"
  // These are no lines of text: reading them as such would be a silent mistake.
  return extension === "csv" || extension === "parquet" ? undefined : "lines"
}

const unknownFormat = (path: string): string =>
  `${path}: reading ${extensionOf(path)} is not supported; set format to lines or ndjson to read it as such`

/** Turns the lines of one file into records. */
const reader = (format: Format, failures: Failures): ((lines: ReadonlyArray<string>, into: Array<Event>) => void) => {
  if (format === "lines") {
    return (lines, into) => {
      for (const message of lines) into.push({ message })
    }
  }
  return (lines, into) => {
    for (const line of lines) {
      if (line.trim() === "") continue
      try {
        const value = parseJson(line)
        if (isObject(value) && !(line.length > shallowLength && isDeeperThan(value, maxDepth))) into.push(value)
        else if (isObject(value)) failures.add({ message: line }, `the record is nested deeper than ${maxDepth} levels`)
        else failures.add({ message: line }, "the line is JSON, but not an object")
      } catch {
        failures.add({ message: line }, "the line is not JSON")
      }
    }
  }
}

/** Reads one file in batches; never waits between the lines of a chunk. */
const readFile = async (path: string, format: Format, context: NodeContext, emit: Emit): Promise<void> => {
  const failures = new Failures(context)
  const read = reader(format, failures)
  const tooLong = `the line is longer than ${maxLineLength} characters`
  const splitter = new LineSplitter((message) => failures.add({ message }, tooLong))
  // Keeps the beginning of a character that a chunk border tore; bytes that are no UTF-8 become U+FFFD. Its own removal
  // of a byte order mark also takes one from the middle when the first chunk ends inside a character.
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true })
  let begun = false
  const decode = (chunk: Uint8Array): string => {
    const text = decoder.decode(chunk, { stream: true })
    if (begun || text === "") return text
    begun = true
    return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text
  }
  let waiting: Array<Event> = []
  let size = 0
  const send = async (): Promise<void> => {
    const events = waiting
    waiting = []
    size = 0
    for (let at = 0; at < events.length; at += batchRecords) {
      await emit(chosen, events.length <= batchRecords ? events : events.slice(at, at + batchRecords))
    }
    await failures.send(emit)
  }
  const take = (lines: ReadonlyArray<string>, length: number): void | Promise<void> => {
    read(lines, waiting)
    size += length
    if (waiting.length >= batchRecords || size >= batchCharacters) return send()
  }
  for await (const chunk of context.read(path)) {
    context.signal.throwIfAborted()
    const text = decode(chunk)
    await take(splitter.push(text), text.length)
  }
  const text = decoder.decode()
  await take(splitter.push(text), 0)
  await take(splitter.end(), 0)
  await send()
}

export const fileInput = node({
  type: "file_input",
  kind: "input",
  description:
    "Reads files of the tenant's configuration folder, in the order of their paths. Files whose name ends in `.gz` are " +
    "decompressed. A pattern that fits no file gives no records; a plain path without its file fails the run. Bytes " +
    "that are no UTF-8 become U+FFFD. A line of more than 1 048 576 characters is an error, and so is one that is no " +
    "JSON object in `ndjson`.",
  runtimes,
  settings: Schema.Struct({
    path: relativePath("Path below the tenant's configuration folder; `*`, `?`, `[…]` and `**` select several files."),
    format: Schema.optionalKey(
      Schema.Literals(formats).annotate({
        description:
          "`lines` (each line becomes `{message}`) or `ndjson` (one JSON object per line; empty lines are skipped). " +
          "Default: `ndjson` for `.ndjson`, `.jsonl` and `.json`, else `lines`."
      })
    )
  }),
  inputs: { min: 0, max: 0 },
  outputs: [chosen, errors],
  example: { path: "samples/access*.log.gz", format: "lines" },
  check: ({ path, format }) =>
    format === undefined && formatOf(path) === undefined ? [{ path: ["path"], detail: unknownFormat(path) }] : [],
  start: ({ path, format }, context) => ({
    run: async (emit) => {
      for (const file of await context.glob(path)) {
        const chosenFormat = format ?? formatOf(file)
        if (chosenFormat === undefined) throw new Error(unknownFormat(file))
        await readFile(file, chosenFormat, context, emit)
      }
    }
  })
})

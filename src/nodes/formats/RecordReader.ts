import { decode, type Encoding, replacedIn, withoutMark } from "../../languages/Encoding.ts"
import { parseJson } from "../../languages/json/JsonValue.ts"
import { chosen, type Emit, type Event, type NodeContext } from "../Node.ts"
import type { LinePlace } from "../ports/Position.ts"
import { batchCharacters, batchRecords } from "../records/BatchSize.ts"
import { Failures } from "../records/Failures.ts"
import { lineSource } from "../records/Source.ts"
import { CsvReader } from "./CsvReader.ts"
import { LineOffsets } from "./LineOffsets.ts"
import { type Line, LineReader } from "./LineReader.ts"
import { beginnings, type JoinedLines, LineCollector, limitTag, type Multiline } from "./Multiline.ts"
import { recordOf, type TextFormat } from "./TextReader.ts"
import { WholeLines } from "./WholeLines.ts"

/** How a source is read. */
export interface Reading {
  readonly format: TextFormat
  readonly encoding: Encoding
  /** For `lines`. */
  readonly multiline: Multiline | undefined
  /** The name of the source, if its records say where they are from. */
  readonly named: string | undefined
  /** Where the bytes begin. */
  readonly from?: LinePlace
}

/** How a source in UTF-8 is read, each of whose lines or rows is a record. */
export const plainReading = (format: TextFormat): Reading => ({
  format,
  encoding: "utf-8",
  multiline: undefined,
  named: undefined
})

/** What turns the bytes of a source into records. */
interface Records {
  readonly push: (chunk: Uint8Array) => void
  /** Completes what waits for further lines. */
  readonly flush: () => void
  readonly end: () => void
  /** Where the first byte is of which no record was made yet. */
  readonly place: () => LinePlace
}

type Take = (event: Event) => void

const beginning: LinePlace = { line: 1, offset: 0 }

const objectOf = (text: string): Event | string => {
  try {
    return recordOf(parseJson(text), text.length)
  } catch {
    return "the line is not JSON"
  }
}

const ofLines = (reading: Reading, context: NodeContext, failures: Failures, take: Take): Records => {
  const { format, encoding, multiline, named, from = beginning } = reading
  const lines = new LineReader(encoding, from, (bytes) => context.replaced?.(bytes))
  const sourced = (event: Event, place: LinePlace): Event =>
    named === undefined ? event : { ...event, ...lineSource(named, place) }
  const fail = (text: string, place: LinePlace, reason: string) =>
    failures.add(sourced({ message: text }, place), reason)
  const takeOne = (line: Line) => {
    const { text, fault } = line
    if (fault !== undefined) return fail(text, line, fault)
    if (format === "lines") {
      return take(named === undefined ? { message: text } : { message: text, ...lineSource(named, line) })
    }
    if (text.trim() === "") return
    const record = objectOf(text)
    if (typeof record === "string") fail(text, line, record)
    else take(sourced(record, line))
  }
  if (multiline === undefined) {
    return {
      push: (chunk) => lines.push(chunk).forEach(takeOne),
      flush: () => {},
      end: () => lines.end().forEach(takeOne),
      place: () => lines.place
    }
  }
  const begins = beginnings(multiline, context.guard)
  const collected = new LineCollector<LinePlace>(multiline)
  const takeEvent = (event: JoinedLines<LinePlace> | undefined) => {
    if (event === undefined) return
    take(sourced(event.isCut ? { message: event.text, tags: [limitTag] } : { message: event.text }, event.of))
  }
  const takeAll = (all: ReadonlyArray<Line>) => {
    const known = begins(all.map(({ text, fault }) => (fault === undefined ? text : "")))
    all.forEach((line, at) => {
      const fault = line.fault ?? known[at]
      if (typeof fault === "string") {
        // A faulty line ends the event before it; otherwise a later attempt would read the line again for the sake of
        // the event.
        takeEvent(collected.end())
        fail(line.text, line, fault)
        return
      }
      const end = (all[at + 1] ?? lines.place).offset
      takeEvent(collected.add({ text: line.text, bytes: end - line.offset, of: line }, fault === true))
    })
  }
  const flush = () => takeEvent(collected.end())
  return {
    push: (chunk) => takeAll(lines.push(chunk)),
    flush,
    end: () => {
      takeAll(lines.end())
      flush()
    },
    place: () => collected.first ?? lines.place
  }
}

const ofRows = ({ encoding, named }: Reading, context: NodeContext, failures: Failures, take: Take): Records => {
  const whole = new WholeLines(encoding)
  const offsets = named === undefined ? undefined : new LineOffsets()
  const sourceAt =
    named === undefined || offsets === undefined ? undefined : (line: number) => lineSource(named, offsets.of(line))
  const csv = new CsvReader((event, reason) => failures.add(event, reason), sourceAt)
  let waiting: Array<Event> = []
  let isBegun = false
  const read = (block: Uint8Array | undefined) => {
    if (block === undefined || block.length === 0) return
    const text = decode(block, whole.encoding)
    const replaced = replacedIn(block, text, whole.encoding)
    if (replaced > 0) context.replaced?.(replaced)
    offsets?.add(block, whole.encoding)
    csv.push(isBegun ? text : withoutMark(text), waiting)
    isBegun = true
    pass()
    offsets?.drop(csv.line)
  }
  const pass = () => {
    waiting.forEach(take)
    waiting = []
  }
  return {
    push: (chunk) => read(whole.push(chunk)),
    flush: () => {},
    end: () => {
      read(whole.rest())
      csv.end(waiting)
      pass()
    },
    place: () => beginning
  }
}

/** Reads one source in batches: bytes in, records and failures out. Does not wait between the lines of a chunk. */
export class RecordReader {
  readonly #emit: Emit
  readonly #failures: Failures
  readonly #records: Records
  #waiting: Array<Event> = []
  #size = 0

  constructor(reading: Reading, context: NodeContext, emit: Emit) {
    this.#emit = emit
    this.#failures = new Failures(context)
    const of = reading.format === "csv" ? ofRows : ofLines
    this.#records = of(reading, context, this.#failures, (event) => this.#waiting.push(event))
  }

  /** Where a later attempt has to go on reading, when everything was sent. */
  get place(): LinePlace {
    return this.#records.place()
  }

  push(chunk: Uint8Array): void | Promise<void> {
    this.#records.push(chunk)
    this.#size += chunk.length
    if (this.#waiting.length >= batchRecords || this.#size >= batchCharacters) return this.send()
  }

  /** Completes an event that waits for further lines. */
  flush(): void {
    this.#records.flush()
  }

  /** Reads the last line, which may lack its end. */
  async end(): Promise<void> {
    this.#records.end()
    await this.send()
  }

  /** Sends the records read so far. */
  async send(): Promise<void> {
    const events = this.#waiting
    this.#waiting = []
    this.#size = 0
    for (let at = 0; at < events.length; at += batchRecords) {
      await this.#emit(chosen, events.length <= batchRecords ? events : events.slice(at, at + batchRecords))
    }
    await this.#failures.send(this.#emit)
  }
}

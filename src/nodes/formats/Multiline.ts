import { Schema } from "effect"
import { batchSteps, type Guard } from "../../languages/Guard.ts"
import type { SettingsIssue } from "../Node.ts"
import { withDefault } from "../settings/SettingsSchema.ts"

/** The tag of an event that reached a limit; the lines after it are the next event. */
export const limitTag = "_multilinelimit"

const between = (minimum: number, maximum: number) => Schema.isBetween({ minimum, maximum })

export const multilineSettings = Schema.Struct({
  start: Schema.optionalKey(
    Schema.String.annotate({
      description: "Regular expression of the lines that begin an event; all others continue the one before."
    })
  ),
  continuation: Schema.optionalKey(
    Schema.String.annotate({
      description: "In place of `start`: regular expression of the lines that continue the event before them."
    })
  ),
  negate: Schema.Boolean.pipe(withDefault(false, "Take the lines that the regular expression does not match.")),
  max_lines: Schema.Int.check(between(2, 100_000)).pipe(withDefault(1000, "Maximum number of lines of an event.")),
  max_bytes: Schema.Int.check(between(1024, 1_048_576)).pipe(
    withDefault(1_048_576, "Maximum size of an event in bytes.")
  ),
  flush_after: Schema.Finite.check(between(0.1, 3600)).pipe(
    withDefault(5, "Seconds without a further line after which an event is complete, where lines still arrive.")
  )
})
export type Multiline = typeof multilineSettings.Type

/** Faults of the setting `multiline`. */
export const multilineFaults = (given: Multiline | undefined): ReadonlyArray<SettingsIssue> => {
  if (given === undefined) return []
  const { start, continuation } = given
  if ((start === undefined) === (continuation === undefined)) {
    return [{ path: ["multiline"], detail: "expected either start or continuation" }]
  }
  const name = start === undefined ? "continuation" : "start"
  try {
    new RegExp(start ?? continuation ?? "", "u")
    return []
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message.replace(/^.*: /s, "") : String(cause)
    return [{ path: ["multiline", name], detail: `The regular expression does not compile: ${reason}` }]
  }
}

/** Processor time for one line, in milliseconds. */
const lineMillis = 1000

/** Tells of lines whether they begin an event, or why that is not known. */
export const beginnings = (
  { start, continuation, negate }: Multiline,
  guard: Guard | undefined
): ((lines: ReadonlyArray<string>) => ReadonlyArray<boolean | string>) => {
  const pattern = new RegExp(start ?? continuation ?? "", "u")
  const isStart = (start !== undefined) !== negate
  const begins = (line: string) => pattern.test(line) === isStart
  const slow = `the pattern of multiline took longer than ${lineMillis} ms for the line`
  return guard === undefined
    ? (lines) => lines.map(begins)
    : (lines) => batchSteps(lines, begins, guard, lineMillis, slow)
}

/** A part of an event: its text, its size in bytes, and whatever the caller keeps of it. */
interface Piece<A> {
  readonly text: string
  readonly bytes: number
  readonly of: A
}

/** An event: its lines, joined by LF, and what was kept of its first one. */
export interface JoinedLines<A> {
  readonly text: string
  readonly of: A
  /** It has reached a limit, so it may lack its end. */
  readonly isCut: boolean
}

/** Collects the lines of one event after the other. */
export class LineCollector<A> {
  readonly #maxLines: number
  readonly #maxBytes: number
  #lines: Array<string> = []
  #bytes = 0
  #of: A | undefined

  constructor({ max_lines, max_bytes }: Multiline) {
    this.#maxLines = max_lines
    this.#maxBytes = max_bytes
  }

  /** What was kept of the first line of the event that is being collected; undefined when there is none. */
  get first(): A | undefined {
    return this.#of
  }

  /** The bytes that wait. */
  get bytes(): number {
    return this.#bytes
  }

  /** Adds a line; returns the event that it completes. */
  add(piece: Piece<A>, begins: boolean): JoinedLines<A> | undefined {
    const isOver = this.#lines.length >= this.#maxLines || this.#bytes + piece.bytes > this.#maxBytes
    const done = begins || isOver ? this.end(!begins) : undefined
    if (this.#lines.length === 0) this.#of = piece.of
    this.#lines.push(piece.text)
    this.#bytes += piece.bytes
    return done
  }

  /** The event so far, if there is one. */
  end(isCut = false): JoinedLines<A> | undefined {
    if (this.#of === undefined) return undefined
    const joined = { text: this.#lines.join("\n"), of: this.#of, isCut }
    this.#lines = []
    this.#bytes = 0
    this.#of = undefined
    return joined
  }
}

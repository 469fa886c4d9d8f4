import type { Fields } from "./FieldPath.ts"

/** A piece of the line that became (part of) a field; `start` and `end` are UTF-16 offsets in the line. */
export interface CaptureSpan {
  readonly name: string
  /** The grok pattern behind it. */
  readonly syntax?: string
  readonly value: string
  readonly start: number
  readonly end: number
}

export interface Failure {
  readonly reason: "no-match" | "conversion"
  /** Length of the longest prefix of the line that a prefix of the pattern matched. */
  readonly matchedUpTo: number
  /** The first sub-pattern that did not match (or the field that did not convert). */
  readonly failedAt: string
  readonly detail: string
}

/** What an operator did with one line, for people: the tester's view of a match. */
export interface Explanation {
  readonly matched: boolean
  /** Which pattern matched (or came furthest), from 1. */
  readonly pattern: number
  readonly output: Fields | undefined
  readonly captures: ReadonlyArray<CaptureSpan>
  readonly failure: Failure | undefined
  readonly hints: ReadonlyArray<string>
}

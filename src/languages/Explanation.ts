import type { Fields } from "./FieldPath.ts"

/** A part of the line that became (part of) a field. `start` and `end` are UTF-16 offsets in the line. */
export interface CaptureSpan {
  readonly name: string
  /** The grok pattern of the field. */
  readonly syntax?: string
  readonly value: string
  readonly start: number
  readonly end: number
}

export interface Failure {
  readonly reason: "no-match" | "conversion"
  /** Length of the longest prefix of the line that a prefix of the pattern matched. */
  readonly matchedUpTo: number
  /** The first sub-pattern that did not match, or the field that did not convert. */
  readonly failedAt: string
  readonly detail: string
}

/** The result of an operator on one line, with details for the tester. */
export interface Explanation {
  readonly matched: boolean
  /** Number of the pattern that matched, or came furthest, from 1. */
  readonly pattern: number
  readonly output: Fields | undefined
  readonly captures: ReadonlyArray<CaptureSpan>
  readonly failure: Failure | undefined
  readonly hints: ReadonlyArray<string>
}

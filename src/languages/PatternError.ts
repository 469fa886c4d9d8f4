import * as Data from "effect/Data"

/** The part of a request or of a node's settings that is at fault. */
export type Part = "pattern" | "definitions" | "bank" | "input"

/**
 * An invalid pattern: unknown name, cycle, bad regular expression, unbalanced `%{`, unknown type. `line` and `column`
 * are positions (from 1, in UTF-16 units) in the text named by `part`; `text` is the faulty piece of it. `pattern` is
 * the number of the pattern that was being compiled, from 1.
 */
export class PatternError extends Data.TaggedError("PatternError")<{
  readonly part: Part
  /** The tenant's file or artifact that `line` and `column` refer to, when they do not refer to the part. */
  readonly source?: string
  readonly detail: string
  readonly line: number
  readonly column: number
  readonly text: string
  readonly pattern: number
  /** Further faults of the same patterns; the first one is this. */
  readonly others?: ReadonlyArray<PatternError>
}> {
  override get message(): string {
    return `${this.detail} at ${this.line}:${this.column} of ${this.source ?? `the ${this.part}`}`
  }
}

/** Maximum number of faults that are reported together. */
const maxFaults = 20

/** The faults as one error: the first one, with the others. There is at least one. */
export const together = (faults: ReadonlyArray<PatternError>): PatternError => {
  const [first, ...others] = faults.flatMap((fault) => [fault, ...(fault.others ?? [])]).slice(0, maxFaults)
  const { part, source, detail, line, column, text, pattern } = first!
  const all = { part, ...(source === undefined ? {} : { source }), detail, line, column, text, pattern }
  return new PatternError(others.length === 0 ? all : { ...all, others })
}

/** A fault in a text, by offset. The compiler knows which text it is and converts it to a {@link PatternError}. */
export class SyntaxFault extends Error {
  readonly start: number
  readonly end: number
  constructor(detail: string, start: number, end: number) {
    super(detail)
    this.start = start
    this.end = end
  }
}

/** Line and column (from 1) of an offset. */
export const position = (text: string, offset: number): { readonly line: number; readonly column: number } => {
  const before = text.slice(0, offset)
  const newline = before.lastIndexOf("\n")
  return { line: before.split("\n").length, column: offset - newline }
}

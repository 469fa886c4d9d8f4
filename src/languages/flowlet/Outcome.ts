import type { Fields } from "../FieldPath.ts"

/** A fault of a program. `line` and `column` are positions in the program's text, from 1. */
export interface ScriptFault {
  readonly message: string
  readonly line?: number
  readonly column?: number
}

/** The result of a program for one event. `printed` is its output. */
export interface Outcome {
  /** The event or events that it returned; absent when it dropped the event or failed. */
  readonly output?: Fields | ReadonlyArray<Fields>
  readonly dropped?: boolean
  readonly error?: ScriptFault
  /** True when the program did not finish in time. */
  readonly timeout?: boolean
  readonly printed?: ReadonlyArray<string>
  readonly micros?: number
}

import type { Fields } from "../FieldPath.ts"

/** What went wrong in a program; `line` and `column` are those of the program's text, from 1. */
export interface ScriptFault {
  readonly message: string
  readonly line?: number
  readonly column?: number
}

/** What a program made of one event. `printed` is what it printed meanwhile. */
export interface Outcome {
  /** The event or events that it returned; absent when it dropped the event or failed. */
  readonly output?: Fields | ReadonlyArray<Fields>
  readonly dropped?: boolean
  readonly error?: ScriptFault
  /** True when the program did not come to an end in time. */
  readonly timeout?: boolean
  readonly printed?: ReadonlyArray<string>
  readonly micros?: number
}

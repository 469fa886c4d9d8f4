import type { ConversionFailure } from "../../Coercion.ts"
import type { Fields } from "../../FieldPath.ts"
import type { Knowledge } from "./CaptureAnalysis.ts"
import type { Leaf } from "./Leaf.ts"

export interface GrokMatch {
  /** Number of the pattern that matched, from 1. */
  readonly pattern: number
  readonly fields: Fields
  /** Captures that could not be converted; their fields contain the text. */
  readonly failures: ReadonlyArray<ConversionFailure>
}

export type LineMatch = (line: string) => GrokMatch | undefined

/** The compiled form of an expression. */
export interface Recipe {
  readonly pattern: number
  readonly exec: (line: string) => RegExpExecArray | null
  /** The group number of each capture. */
  readonly numbers: ReadonlyArray<number>
  readonly leaves: ReadonlyArray<Leaf>
  readonly known: Knowledge
  readonly keepEmpty: boolean
  /** A text that every match contains. */
  readonly required: string | undefined
  /** Whether a match contains only ASCII characters. */
  readonly narrow: boolean
}

/** Statistics of the lines so far. */
export interface Course {
  /**
   * True when the last result is right for any line: a narrow match covered all of it, or it lacks the required text.
   */
  sure: boolean
  /** Number of further lines during which non-matching lines are expected. */
  wary: number
}

/** The number of matching lines in a row after which non-matching lines are no longer expected. */
export const wariness = 16

export const noFailures: ReadonlyArray<ConversionFailure> = Object.freeze([])

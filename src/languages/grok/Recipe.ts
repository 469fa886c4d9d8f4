import type { ConversionFailure } from "../Coercion.ts"
import type { Fields } from "../FieldPath.ts"
import type { Knowledge } from "./Certain.ts"
import type { Leaf } from "./Leaf.ts"

export interface GrokMatch {
  /** Which pattern matched, from 1. */
  readonly pattern: number
  readonly fields: Fields
  /** Captures that could not be converted; their fields hold the text. */
  readonly failures: ReadonlyArray<ConversionFailure>
}

export type LineMatch = (line: string) => GrokMatch | undefined

/** What an expression is matched with. */
export interface Recipe {
  readonly pattern: number
  readonly exec: (line: string) => RegExpExecArray | null
  /** The place of each capture in a match. */
  readonly numbers: ReadonlyArray<number>
  readonly leaves: ReadonlyArray<Leaf>
  readonly known: Knowledge
  readonly keepEmpty: boolean
  /** Text that every match holds. */
  readonly required: string | undefined
  /** A match takes ASCII characters only. */
  readonly narrow: boolean
}

/** What is known of the lines so far. */
export interface Course {
  /**
   * The last answer holds whatever characters the line has: a narrow match took all of it, or it lacks a needed text.
   */
  sure: boolean
  /** Lines for which one that does not match is expected. */
  wary: number
}

/** Lines that match in a row until a line that does not is unexpected again. */
export const wariness = 16

export const noFailures: ReadonlyArray<ConversionFailure> = Object.freeze([])

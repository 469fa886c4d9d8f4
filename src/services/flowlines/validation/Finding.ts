import * as Predicate from "effect/Predicate"
import type { Position } from "../../../languages/document/DocumentSource.ts"

/** The part of a flowline's value at a path. */
export const valueAt = (value: unknown, path: ReadonlyArray<PropertyKey>): unknown =>
  path.reduce<unknown>((inner, key) => (Predicate.isObjectOrArray(inner) ? Reflect.get(inner, key) : undefined), value)

/** A fault in a flowline's value. */
export interface Finding {
  readonly path: ReadonlyArray<PropertyKey>
  readonly detail: string
  /** Whether the member's key is faulty rather than its value. */
  readonly key?: boolean
  /** Position inside the text at `path`. */
  readonly inside?: Position
  /** The fault is that of a parameter that an execution gives, not of the file: `path` is its name. */
  readonly given?: true
}

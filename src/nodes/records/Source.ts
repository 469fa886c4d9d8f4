import * as Predicate from "effect/Predicate"
import type { Batch, Event, NodeType, RunContext } from "../Node.ts"

/**
 * Where an input has got a record: its `at`-th record, from 0, of the source `of`. Every attempt finds the same record
 * there, in whatever order it reads its sources.
 */
export interface Source {
  readonly of: string
  readonly at: number
}

const source: unique symbol = Symbol("source")

/** Spreading a record copies the member, and JSON does not show it. */
interface Sourced {
  readonly [source]?: Source
}

/** The source of a record, or of the one that it was made from; undefined when it was made from several or is not known. */
export const sourceOf = (event: Event & Sourced): Source | undefined => event[source]

/** The records with their sources: the first one is the `from`-th of `of`. */
export const withSources = (batch: Batch, of: string, from: number): Batch =>
  batch.map((event, index): Event & Sourced => ({ ...event, [source]: { of, at: from + index } }))

/**
 * Gives the record `made` the source of the event that it was made from, where copying its members by name has lost it.
 * `made` is the event itself, or an object that nobody else has.
 */
export const keepSource = (event: Event & Sourced, made: Event & { [source]?: Source }): Event => {
  const from = event[source]
  if (from !== undefined && made[source] === undefined) made[source] = from
  return made
}

/** Gives it the member `_source` of the event too, for nodes that cannot have been asked to remove it. */
export const withSourceOf = (event: Event, made: Event): Event => {
  const place = event[sourceField]
  if (place !== undefined && isLineSource(place) && !isLineSource(made[sourceField])) made[sourceField] = place
  return keepSource(event, made)
}

/** Numbers the records of an input, each of its streams apart. */
export class SourceNumbers {
  readonly #input: string
  readonly #next = new Map<string, number>()

  private constructor(input: string) {
    this.#input = input
  }

  /** The numbers of an input: under one name for all attempts that read the same records. Undefined in a part of a run. */
  static of({ isLive }: NodeType, component: string, { work }: RunContext): SourceNumbers | undefined {
    if (work === undefined) return undefined
    return new SourceNumbers(JSON.stringify([isLive === true ? crypto.randomUUID() : work, component]))
  }

  /** The batch with sources, unless it has them. */
  name(batch: Batch, stream: string): Batch {
    if (batch[0] === undefined || sourceOf(batch[0]) !== undefined) return batch
    const from = this.#next.get(stream) ?? 0
    this.#next.set(stream, from + batch.length)
    return withSources(batch, JSON.stringify([this.#input, stream]), from)
  }
}

/** The member of a record that says where its input has read it. */
export const sourceField = "_source"

/** Where a record is from: a file, and the line and the byte at which it begins there. */
interface LineSource {
  readonly file: string
  /** From 1; absent where the lines before it were not counted. */
  readonly line?: number
  readonly offset: number
}

/** The member for a record of a file. */
export const lineSource = (
  file: string,
  { line, offset }: { readonly line: number | undefined; readonly offset: number }
): { readonly [sourceField]: LineSource } => ({
  [sourceField]: line === undefined ? { file, offset } : { file, line, offset }
})

/** Whether an input has put the value into {@link sourceField}; records may have members of that name themselves. */
export const isLineSource = (value: unknown): boolean => {
  if (!Predicate.isObject(value) || typeof value["file"] !== "string" || typeof value["offset"] !== "number")
    return false
  for (const name in value) if (name !== "file" && name !== "line" && name !== "offset") return false
  return true
}

import * as Predicate from "effect/Predicate"
import { isRaw } from "../../../languages/json/JsonNumbers.ts"
import { setMember } from "../../../languages/query/Member.ts"
import { sampledRecords } from "../../formats/CsvEncoder.ts"
import type { Batch, Event } from "../../Node.ts"
import { csvOf, type Texts } from "./CsvCell.ts"

/** Maximum nesting of objects that become columns; deeper ones are JSON in a cell. */
const levels = 32

const textOf = (value: unknown): string | null => {
  if (value === null || typeof value === "string") return value
  return JSON.stringify(value)
}

/** The fields of a document as texts: members of nested objects by dotted path, other values as JSON. */
const flat = (document: Event): Texts => {
  const texts: Record<string, string | null> = {}
  const collect = (value: Event, prefix: string, depth: number): void => {
    for (const [key, member] of Object.entries(value)) {
      const opens = Predicate.isObject(member) && !isRaw(member) && depth < levels && Object.keys(member).length > 0
      if (opens) collect(member, `${prefix}${key}.`, depth + 1)
      else setMember(texts, prefix + key, textOf(member))
    }
  }
  collect(document, "", 0)
  return texts
}

/** Maximum number of reported fields without a column. */
const told = 100

/** Csv of documents without given columns; the first documents determine them. */
export class Table {
  #waiting: Array<Texts> = []
  #columns: ReadonlySet<string> | undefined
  #rows: ((records: ReadonlyArray<Texts>) => string) | undefined
  readonly #left = new Set<string>()

  #begin(): string {
    const columns = new Set(this.#waiting.slice(0, sampledRecords).flatMap((texts) => Object.keys(texts)))
    const { header, rows } = csvOf([...columns])
    this.#columns = columns
    this.#rows = rows
    const waiting = this.#waiting
    this.#waiting = []
    return columns.size === 0 ? "" : header + this.#write(waiting)
  }

  #write(records: ReadonlyArray<Texts>): string {
    for (const texts of records) {
      for (const name of Object.keys(texts)) {
        if (this.#columns?.has(name) === false && this.#left.size < told) this.#left.add(name)
      }
    }
    return this.#rows?.(records) ?? ""
  }

  encode(batch: Batch): string {
    const records = batch.map(flat)
    if (this.#rows !== undefined) return this.#write(records)
    for (const record of records) this.#waiting.push(record)
    return this.#waiting.length < sampledRecords ? "" : this.#begin()
  }

  end(): string {
    return this.#rows === undefined ? this.#begin() : ""
  }

  /** Fields that appeared after the columns were determined. */
  get leftOut(): ReadonlyArray<string> {
    return [...this.#left]
  }
}

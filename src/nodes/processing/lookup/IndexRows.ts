import { type Fields, fieldPath, getPath } from "../../../languages/FieldPath.ts"
import { parseJson } from "../../../languages/json/JsonValue.ts"
import { unknownName } from "../../../languages/Suggest.ts"
import type { NodeContext } from "../../Node.ts"
import type { Documents } from "../../ports/Documents.ts"
import { BoundedCache } from "./BoundedCache.ts"

/** Maximum number of values that one search looks up. */
const mostKeys = 500

interface IndexSettings {
  readonly index: string
  readonly key: string
  readonly columns?: ReadonlyArray<string>
  readonly cacheBytes: number
  readonly cacheMillis: number
}

/** The documents of an index by the values of a field, as they are looked up. */
export class IndexRows {
  readonly #documents: Documents
  readonly #given: IndexSettings
  readonly #key: ReadonlyArray<string>
  readonly #columns: ReadonlyArray<readonly [name: string, path: ReadonlyArray<string>]> | undefined
  readonly #signal: AbortSignal
  /** What was found, also that nothing was. */
  readonly #cache: BoundedCache<Fields | undefined>

  private constructor(documents: Documents, given: IndexSettings, signal: AbortSignal) {
    this.#documents = documents
    this.#given = given
    this.#key = fieldPath(given.key)
    this.#columns = given.columns?.map((name) => [name, fieldPath(name)])
    this.#signal = signal
    this.#cache = new BoundedCache(given.cacheBytes, given.cacheMillis)
  }

  /** Rejects when there is no such index, or none of its documents has the key or a column. */
  static async of(given: IndexSettings, { documents, signal }: NodeContext): Promise<IndexRows> {
    if (documents === undefined) throw new Error("This gateway has no search")
    await documents.indices(given.index)
    const rows = new IndexRows(documents, given, signal)
    for (const field of [given.key, ...(given.columns ?? [])]) await rows.#checkField(field)
    return rows
  }

  async *#search(query: unknown): AsyncGenerator<Fields> {
    const { parseQuery } = await import("../../../languages/query/QueryParser.ts")
    const parsed = parseQuery(query, Date.now())
    if (parsed._tag === "Failure") throw new Error(`The index cannot be searched: ${parsed.failure[0]?.detail ?? ""}`)
    for await (const texts of this.#documents.read(this.#given.index, parsed.success)) {
      this.#signal.throwIfAborted()
      for (const text of texts) yield parseJson(text) as Fields
    }
  }

  async #checkField(field: string): Promise<void> {
    for await (const _ of this.#search({ exists: { field } })) return
    for await (const document of this.#search({ match_all: {} })) {
      throw new Error(unknownName(field, Object.keys(document), `among the fields of ${this.#given.index}`))
    }
  }

  /** The rows of the values, for those that have one. */
  async find(values: Iterable<string>): Promise<ReadonlyMap<string, Fields>> {
    const found = new Map<string, Fields>()
    const unknown: Array<string> = []
    for (const value of new Set(values)) {
      const cached = this.#cache.get(value)
      if (cached === undefined) unknown.push(value)
      else if (cached.value !== undefined) found.set(value, cached.value)
    }
    for (let at = 0; at < unknown.length; at += mostKeys) {
      const asked = new Set(unknown.slice(at, at + mostKeys))
      for await (const document of this.#search({ terms: { [this.#given.key]: [...asked] } })) {
        const row = this.#rowOf(document)
        for (const value of [getPath(document, this.#key)].flat()) {
          const key = String(value)
          if (asked.has(key) && !found.has(key)) found.set(key, row)
        }
      }
      for (const value of asked) this.#cache.set(value, found.get(value))
    }
    return found
  }

  #rowOf(document: Fields): Fields {
    if (this.#columns === undefined) {
      const { [this.#given.key]: _, ...rest } = document
      return rest
    }
    const row: Array<readonly [string, unknown]> = []
    for (const [name, path] of this.#columns) {
      const value = getPath(document, path)
      if (value !== undefined) row.push([name, value])
    }
    return Object.fromEntries(row)
  }
}

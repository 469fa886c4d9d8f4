import { BoundedMap } from "../../languages/BoundedMap.ts"

/** A map of at most `most` entries, each kept until its own time. When it is full, the oldest entries are dropped. */
export class ExpiringMap<K, V> {
  readonly #entries: BoundedMap<K, { readonly value: V; readonly until: number }>

  constructor(most: number) {
    this.#entries = new BoundedMap(most)
  }

  /** The value of the key; undefined if it has expired. `now` and `until` are times of the same clock. */
  get(key: K, now: number): V | undefined {
    const entry = this.#entries.get(key)
    if (entry === undefined || entry.until > now) return entry?.value
    this.#entries.delete(key)
    return undefined
  }

  set(key: K, value: V, until: number): void {
    this.#entries.set(key, { value, until })
  }

  clear(): void {
    this.#entries.clear()
  }

  get size(): number {
    return this.#entries.size
  }
}

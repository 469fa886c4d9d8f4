/** A map of at most `most` entries, each kept until its own time. When it is full, the oldest entries are dropped. */
export class ExpiringMap<K, V> {
  readonly #entries = new Map<K, { readonly value: V; readonly until: number }>()
  readonly #most: number

  constructor(most: number) {
    this.#most = most
  }

  /** The value of the key; undefined if it has expired. `now` and `until` are times of the same clock. */
  get(key: K, now: number): V | undefined {
    const entry = this.#entries.get(key)
    if (entry === undefined || entry.until > now) return entry?.value
    this.#entries.delete(key)
    return undefined
  }

  set(key: K, value: V, until: number): void {
    this.#entries.delete(key)
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size < this.#most) break
      this.#entries.delete(oldest)
    }
    this.#entries.set(key, { value, until })
  }

  clear(): void {
    this.#entries.clear()
  }

  get size(): number {
    return this.#entries.size
  }
}

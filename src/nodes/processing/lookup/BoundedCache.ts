import { sizeOf } from "../RecordSize.ts"

interface Entry<A> {
  readonly value: A
  readonly bytes: number
  readonly until: number
}

/** Bytes of an entry besides its key and value. */
const entryBytes = 120

/** Values by texts, in bounded memory and for a bounded time: those that were not used for longest are forgotten. */
export class BoundedCache<A> {
  readonly #maxBytes: number
  readonly #millis: number
  /** In the order of their last use. */
  readonly #entries = new Map<string, Entry<A>>()
  #bytes = 0

  constructor(maxBytes: number, millis = Number.POSITIVE_INFINITY) {
    this.#maxBytes = maxBytes
    this.#millis = millis
  }

  get bytes(): number {
    return this.#bytes
  }

  /** The value and whether there is one, because a value may be undefined. */
  get(key: string): { readonly value: A } | undefined {
    const entry = this.#entries.get(key)
    if (entry === undefined) return undefined
    this.#entries.delete(key)
    if (entry.until < performance.now()) {
      this.#bytes -= entry.bytes
      return undefined
    }
    this.#entries.set(key, entry)
    return entry
  }

  set(key: string, value: A): void {
    const bytes = entryBytes + 2 * key.length + sizeOf(value)
    const before = this.#entries.get(key)
    if (before !== undefined) {
      this.#entries.delete(key)
      this.#bytes -= before.bytes
    }
    if (bytes > this.#maxBytes) return
    this.#entries.set(key, { value, bytes, until: performance.now() + this.#millis })
    this.#bytes += bytes
    for (const [oldest, entry] of this.#entries) {
      if (this.#bytes <= this.#maxBytes) break
      this.#entries.delete(oldest)
      this.#bytes -= entry.bytes
    }
  }
}

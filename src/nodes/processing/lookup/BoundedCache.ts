import { sizeOf } from "../../records/RecordSize.ts"

interface Entry<A> {
  readonly value: A
  readonly bytes: number
  readonly until: number
}

/** Bytes of an entry besides its key and value. */
const entryBytes = 120

/**
 * Values by texts, in bounded memory and for a bounded time. Two generations: what was used since the last change of
 * generations stays, the rest is forgotten. An order of uses would cost more than most lookups.
 */
export class BoundedCache<A> {
  /** Each generation has half of the memory. */
  readonly #halfBytes: number
  readonly #millis: number
  #young = new Map<string, Entry<A>>()
  #old = new Map<string, Entry<A>>()
  #youngBytes = 0
  #oldBytes = 0

  constructor(maxBytes: number, millis = Number.POSITIVE_INFINITY) {
    this.#halfBytes = maxBytes / 2
    this.#millis = millis
  }

  get bytes(): number {
    return this.#youngBytes + this.#oldBytes
  }

  /** The value and whether there is one, because a value may be undefined. */
  get(key: string): { readonly value: A } | undefined {
    const young = this.#young.get(key)
    if (young !== undefined) return this.#fresh(young)
    const old = this.#old.get(key)
    if (old === undefined) return undefined
    this.#old.delete(key)
    this.#oldBytes -= old.bytes
    if (this.#fresh(old) === undefined) return undefined
    this.#put(key, old)
    return old
  }

  #fresh(entry: Entry<A>): Entry<A> | undefined {
    return entry.until !== Number.POSITIVE_INFINITY && entry.until < performance.now() ? undefined : entry
  }

  set(key: string, value: A): void {
    const bytes = entryBytes + 2 * key.length + sizeOf(value)
    this.#youngBytes -= this.#young.get(key)?.bytes ?? 0
    this.#young.delete(key)
    this.#oldBytes -= this.#old.get(key)?.bytes ?? 0
    this.#old.delete(key)
    const until = this.#millis === Number.POSITIVE_INFINITY ? this.#millis : performance.now() + this.#millis
    this.#put(key, { value, bytes, until })
  }

  #put(key: string, entry: Entry<A>): void {
    if (entry.bytes > this.#halfBytes) return
    if (this.#youngBytes + entry.bytes > this.#halfBytes) {
      this.#old = this.#young
      this.#oldBytes = this.#youngBytes
      this.#young = new Map()
      this.#youngBytes = 0
    }
    this.#young.set(key, entry)
    this.#youngBytes += entry.bytes
  }
}

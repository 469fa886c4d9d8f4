import type { Key } from "../../records/RecordKey.ts"

/** Bytes of an entry besides the text of its key. */
const entryBytes = 120
const bytesOf = (key: Key): number => entryBytes + (typeof key === "string" ? 2 * key.length : 0)

/** Keys with the times of their first records, in bounded memory. */
export class SeenKeys {
  readonly #maxKeys: number
  readonly #maxBytes: number
  /** In the order of their first records. */
  readonly #times = new Map<Key, number>()
  /**
   * Goes through the keys to forget. A new iterator passes every deleted entry again, so one serves for many keys. It holds
   * all entries that were deleted behind it, so it is renewed when as many keys have returned as there are.
   */
  #oldest = this.#times.keys()
  #returned = 0
  #bytes = 0

  constructor(maxKeys: number, maxBytes: number) {
    this.#maxKeys = maxKeys
    this.#maxBytes = maxBytes
  }

  get size(): number {
    return this.#times.size
  }

  /** Whether no record of the key was new within `window` milliseconds of this one; then this one is the first. */
  isNew(key: Key, millis: number, window: number | undefined): boolean {
    const known = this.#times.get(key)
    if (known === undefined) {
      this.#add(key, millis)
      return true
    }
    if (window === undefined || Math.abs(millis - known) < window) return false
    // An older record must not hide that a newer one was seen.
    if (millis < known) return true
    this.#times.delete(key)
    this.#times.set(key, millis)
    if (++this.#returned > this.#times.size) {
      this.#returned = 0
      this.#oldest = this.#times.keys()
    }
    return true
  }

  #add(key: Key, millis: number): void {
    const bytes = bytesOf(key)
    if (bytes > this.#maxBytes) return
    this.#times.set(key, millis)
    this.#bytes += bytes
    while (this.#times.size > this.#maxKeys || this.#bytes > this.#maxBytes) {
      const oldest = this.#oldest.next().value ?? ""
      this.#times.delete(oldest)
      this.#bytes -= bytesOf(oldest)
    }
  }
}

import type { Key } from "../../records/RecordKey.ts"

/** Counts of the records of keys, in memory for a number of keys. */
export class Counts {
  readonly #max: number
  readonly #counts = new Map<Key, number>()
  readonly #oldest = this.#counts.keys()

  constructor(max: number) {
    this.#max = max
  }

  /** How many records of the key came before, modulo `every`. */
  next(key: Key, every: number): number {
    const count = this.#counts.get(key) ?? 0
    this.#counts.set(key, (count + 1) % every)
    if (this.#counts.size > this.#max) this.#counts.delete(this.#oldest.next().value ?? "")
    return count
  }
}

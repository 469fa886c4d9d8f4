import type { Event } from "../../Node.ts"
import type { Key } from "../../records/RecordKey.ts"

/** A record that waits for records of the other side. */
export interface WaitingRecord {
  readonly event: Event
  readonly key: Key
  readonly millis: number
  readonly bytes: number
  isMatched: boolean
}

/** The records of one side, in the order in which they came. */
export class Side {
  readonly #byKey = new Map<Key, Array<WaitingRecord>>()
  #queue: Array<WaitingRecord> = []
  #head = 0
  bytes = 0
  /** The latest time of a record. */
  latest = Number.NEGATIVE_INFINITY

  get first(): WaitingRecord | undefined {
    return this.#queue[this.#head]
  }

  of(key: Key): ReadonlyArray<WaitingRecord> {
    return this.#byKey.get(key) ?? []
  }

  add(one: WaitingRecord): void {
    const same = this.#byKey.get(one.key)
    if (same === undefined) this.#byKey.set(one.key, [one])
    else same.push(one)
    this.#queue.push(one)
    this.bytes += one.bytes
  }

  /** Takes the first record out. */
  shift(): WaitingRecord | undefined {
    const one = this.#queue[this.#head]
    if (one === undefined) return undefined
    this.#head++
    if (this.#head > 1000 && this.#head * 2 > this.#queue.length) {
      this.#queue = this.#queue.slice(this.#head)
      this.#head = 0
    }
    const same = this.#byKey.get(one.key)
    // Records of a key leave in the order in which they came.
    same?.shift()
    if (same?.length === 0) this.#byKey.delete(one.key)
    this.bytes -= one.bytes
    return one
  }
}

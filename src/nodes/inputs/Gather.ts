import { batchCharacters, batchRecords } from "../Batch.ts"
import { Failures } from "../Failures.ts"
import { chosen, type Emit, type Event, type NodeContext } from "../Node.ts"

/** Characters that may wait for the nodes behind: senders that cannot be held back lose what is over it. */
const maxCharacters = 8 * 1024 * 1024
/** Longest that a record waits for others, in milliseconds. */
const gatherMillis = 100

/**
 * Records that come one by one from elsewhere, on their way in batches: when there are many, or after a little while.
 */
export class Gather {
  readonly #emit: Emit
  readonly #failures: Failures
  readonly #ended = Promise.withResolvers<void>()
  #waiting: Array<Event> = []
  #failed = 0
  #size = 0
  /** Characters that were not taken yet, those on their way among them. */
  #pending = 0
  #timer: ReturnType<typeof setTimeout> | undefined
  #sending: Promise<void> = Promise.resolve()

  constructor(context: NodeContext, emit: Emit) {
    this.#emit = emit
    this.#failures = new Failures(context)
    this.#ended.promise.catch(() => {})
  }

  /** Whether more waits than should be kept. */
  get isCongested(): boolean {
    return this.#pending > maxCharacters
  }

  add(event: Event, size: number): void {
    this.#waiting.push(event)
    this.#grow(size)
  }

  fail(event: Event, reason: string, size: number): void {
    this.#failures.add(event, reason)
    this.#failed++
    this.#grow(size)
  }

  #grow(size: number): void {
    this.#size += size
    this.#pending += size
    this.#timer ??= setTimeout(() => void this.send().catch(() => {}), gatherMillis)
  }

  /** Whether it is time to {@link send}: who adds more should wait for that. */
  get isFull(): boolean {
    return this.#waiting.length + this.#failed >= batchRecords || this.#size >= batchCharacters
  }

  /** Resolves when everything that was added has been taken. Rejects, now and ever after, when the run has failed. */
  send(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const events = this.#waiting
    this.#waiting = []
    const size = this.#size
    this.#failed = 0
    this.#size = 0
    this.#sending = this.#sending.then(async () => {
      for (let at = 0; at < events.length; at += batchRecords)
        await this.#emit(chosen, events.slice(at, at + batchRecords))
      await this.#failures.send(this.#emit)
      this.#pending -= size
    })
    this.#sending.catch(this.#ended.reject)
    return this.#sending
  }

  /** Never resolves; rejects when something could not be sent, or with the signal. */
  until(signal: AbortSignal): Promise<void> {
    const stop = () => this.#ended.reject(signal.reason)
    if (signal.aborted) stop()
    else signal.addEventListener("abort", stop, { once: true })
    return this.#ended.promise
  }
}

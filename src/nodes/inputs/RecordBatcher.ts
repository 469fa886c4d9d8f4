import { chosen, type Emit, type Event, type NodeContext } from "../Node.ts"
import { batchCharacters, batchRecords } from "../records/BatchSize.ts"
import { Failures } from "../records/Failures.ts"

/**
 * Maximum number of characters that wait for the next nodes. Beyond it, records of senders that cannot be held back are
 * lost.
 */
const maxCharacters = 8 * 1024 * 1024
/** Maximum time that a record waits for others, in milliseconds. */
const gatherMillis = 100

/** Collects records that arrive one by one, and sends them in batches: when there are enough, or after a short time. */
export class RecordBatcher {
  readonly #emit: Emit
  readonly #failures: Failures
  readonly #ended = Promise.withResolvers<void>()
  #waiting: Array<Event> = []
  #failed = 0
  #size = 0
  /** Number of characters that the next nodes have not taken yet, including those being sent. */
  #pending = 0
  #timer: ReturnType<typeof setTimeout> | undefined
  #sending: Promise<void> = Promise.resolve()

  constructor(context: NodeContext, emit: Emit) {
    this.#emit = emit
    this.#failures = new Failures(context)
    this.#ended.promise.catch(() => {})
  }

  /** Whether the limit of waiting characters is exceeded. */
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

  /** Whether a batch is complete: the caller should {@link send} and wait before it adds more. */
  get isFull(): boolean {
    return this.#waiting.length + this.#failed >= batchRecords || this.#size >= batchCharacters
  }

  /** Resolves when the next nodes have taken all added records. Rejects, on every call, once the run has failed. */
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

  /** Never resolves; rejects when records could not be sent or the signal is aborted. */
  until(signal: AbortSignal): Promise<void> {
    const stop = () => this.#ended.reject(signal.reason)
    if (signal.aborted) stop()
    else signal.addEventListener("abort", stop, { once: true })
    return this.#ended.promise
  }
}

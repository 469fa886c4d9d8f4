import type { Position } from "../../nodes/Node.ts"

/** Milliseconds between two times at which positions are kept: what is read again after a crash. */
const commitMillis = 500

/** Keeps the positions of a flowline's inputs: what they have read so far, once every node has made it durable. */
export class Commits {
  readonly #flush: () => Promise<void>
  readonly #fail: (cause: unknown) => void
  readonly #waiting = new Map<Position, () => unknown>()
  #timer: ReturnType<typeof setTimeout> | undefined
  #committing: Promise<void> | undefined

  constructor(flush: () => Promise<void>, fail: (cause: unknown) => void) {
    this.#flush = flush
    this.#fail = fail
  }

  /** The position as an input gets it. */
  of(position: Position): Position {
    return {
      load: position.load,
      save: (value) => {
        this.#waiting.set(position, value)
        this.#timer ??= setTimeout(() => void this.#commit(), commitMillis)
      }
    }
  }

  async #commit(): Promise<void> {
    await this.#committing
    this.#committing = this.#keep().catch(this.#fail)
    await this.#committing
    this.#timer = undefined
    if (this.#waiting.size > 0) this.#timer = setTimeout(() => void this.#commit(), commitMillis)
  }

  async #keep(): Promise<void> {
    // What is read during the flush may miss it: the values are taken before.
    const values = [...this.#waiting].map(([position, value]) => [position, value()] as const)
    this.#waiting.clear()
    await this.#flush()
    for (const [position, value] of values) await position.save(() => value)
  }

  /** Nothing is kept any more. */
  stop(): void {
    clearTimeout(this.#timer)
    this.#waiting.clear()
  }
}

import type { Position } from "../../nodes/Node.ts"

/** Milliseconds between commits: the most that is read again after a crash. */
const commitMillis = 500

/** Saves the positions of a flowline's inputs after every node has made the records before them durable. */
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

  /** The position for an input; saving is deferred to the next commit. */
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
    // Taken before the flush, which may miss records that are read while it runs.
    const values = [...this.#waiting].map(([position, value]) => [position, value()] as const)
    this.#waiting.clear()
    await this.#flush()
    for (const [position, value] of values) await position.save(() => value)
  }

  /** Stops committing. */
  stop(): void {
    clearTimeout(this.#timer)
    this.#waiting.clear()
  }
}

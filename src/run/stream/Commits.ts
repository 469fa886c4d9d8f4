import type { Position } from "../../nodes/ports/Position.ts"

/** Milliseconds between commits: the most that is read again after a crash. */
const commitMillis = 500

/** An input that keeps a position. */
interface Keeper {
  /** It has emitted records that its last position does not cover. */
  isAhead: boolean
  value?: () => unknown
}

/**
 * Saves the positions of a flowline's inputs after every node has made the records before them durable. All of it is
 * one cut through the flowline: while a commit is under way, an input whose records are covered by its position emits
 * nothing, so that no record is behind the positions and before the lengths of the files.
 */
export class Commits {
  readonly #keep: (positions: Readonly<Record<string, unknown>>) => Promise<void>
  readonly #fail: (cause: unknown) => void
  readonly #keepers = new Map<string, Keeper>()
  #timer: ReturnType<typeof setTimeout> | undefined
  /** Set during a commit; resolves at its end. */
  #gate: PromiseWithResolvers<void> | undefined
  /** Resolves when no input is ahead of its position. */
  #level: PromiseWithResolvers<void> | undefined
  #isStopped = false

  /** @param keep flushes all nodes, then saves */
  constructor(keep: (positions: Readonly<Record<string, unknown>>) => Promise<void>, fail: (cause: unknown) => void) {
    this.#keep = keep
    this.#fail = fail
  }

  /** The position of an input; saving is deferred to the next commit. */
  of(component: string, position: Pick<Position, "load">): Position {
    return {
      load: () => {
        if (!this.#keepers.has(component)) this.#keepers.set(component, { isAhead: false })
        return position.load()
      },
      save: (value) => {
        this.#keepers.set(component, { isAhead: false, value })
        this.#settleLevel()
        this.#plan()
      }
    }
  }

  /** Called before an input emits: waits for a commit that is under way. */
  emitting(component: string): Promise<void> | undefined {
    const keeper = this.#keepers.get(component)
    if (keeper === undefined || keeper.isAhead) return undefined
    if (this.#gate !== undefined) return this.#gate.promise.then(() => this.emitting(component))
    keeper.isAhead = true
    return undefined
  }

  #plan(): void {
    if (!this.#isStopped) this.#timer ??= setTimeout(() => void this.#commit(), commitMillis)
  }

  async #commit(): Promise<void> {
    this.#gate = Promise.withResolvers()
    try {
      if (this.#isAnyAhead()) {
        this.#level = Promise.withResolvers()
        await this.#level.promise
      }
      if (!this.#isStopped) await this.#save()
    } catch (cause) {
      this.#fail(cause)
    } finally {
      this.#timer = undefined
      this.#gate.resolve()
      this.#gate = undefined
      // An input may move on without emitting anything.
      if ([...this.#keepers.values()].some(({ value }) => value !== undefined)) this.#plan()
    }
  }

  async #save(): Promise<void> {
    const positions: Record<string, unknown> = {}
    for (const [component, keeper] of this.#keepers) {
      if (keeper.value === undefined) continue
      positions[component] = keeper.value()
      delete keeper.value
    }
    await this.#keep(positions)
  }

  #isAnyAhead(): boolean {
    return [...this.#keepers.values()].some(({ isAhead }) => isAhead)
  }

  #settleLevel(): void {
    if (!this.#isStopped && this.#isAnyAhead()) return
    this.#level?.resolve()
    this.#level = undefined
  }

  /** Stops committing. */
  stop(): void {
    this.#isStopped = true
    clearTimeout(this.#timer)
    this.#settleLevel()
  }
}

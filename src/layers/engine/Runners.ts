import { leaveWhenCold } from "../../protocol/RunProtocol.ts"
import { Child } from "./Child.ts"
import type { EngineSettings } from "./EngineConfig.ts"

const maxDelayMillis = 60_000

/**
 * Starts children for runs. One child with the default memory is kept warm, with its modules loaded and its parent
 * watch running, so that a run starts within milliseconds. The next one is started with a delay, so that it does not
 * slow the run down.
 */
export class Runners {
  readonly #settings: EngineSettings
  #warm: Child | undefined
  #timer: NodeJS.Timeout | undefined
  #delay: number
  #closed = false
  readonly #alive = new Set<Child>()
  /**
   * Whether a child has been started with `leaveWhenCold`: only the first is, because children that cannot write the
   * compile cache would restart forever.
   */
  #compiled = false

  constructor(settings: EngineSettings) {
    this.#settings = settings
    this.#delay = settings.warmDelayMillis
    this.#later()
  }

  /** Returns a child for a run with this heap (MiB), and whether it was warm. */
  take(memoryMib: number): { readonly child: Child; readonly warm: boolean } {
    const waiting = this.#warm
    if (waiting === undefined || !waiting.alive || waiting.memoryMib !== memoryMib) {
      return { child: this.fresh(memoryMib), warm: false }
    }
    this.#warm = undefined
    this.#delay = this.#settings.warmDelayMillis
    this.#later()
    return { child: waiting, warm: true }
  }

  fresh(memoryMib: number): Child {
    return this.#started(new Child(this.#settings, memoryMib))
  }

  /** The number of children that have not ended. */
  get alive(): number {
    return this.#alive.size
  }

  /** The process id of the warm child. */
  get waiting(): number | undefined {
    return this.#warm?.pid
  }

  async close(): Promise<void> {
    this.#closed = true
    clearTimeout(this.#timer)
    this.#warm?.kill()
    await this.#warm?.stop(false)
  }

  #started(child: Child): Child {
    this.#alive.add(child)
    void child.exited.finally(() => this.#alive.delete(child))
    return child
  }

  #later(): void {
    if (this.#closed || !this.#settings.warm || this.#timer !== undefined) return
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      this.#start()
    }, this.#delay)
  }

  #start(): void {
    if (this.#warm !== undefined) return
    const options = this.#compiled ? [] : [leaveWhenCold]
    this.#compiled = true
    const child = this.#started(new Child(this.#settings, this.#settings.memoryMib, options))
    this.#warm = child
    // A warm child that dies is replaced after a growing delay, so that a broken machine is not kept busy.
    void child.exited.then(() => {
      if (this.#warm !== child) return
      this.#warm = undefined
      void child.stop(false)
      this.#delay = Math.min(Math.max(this.#delay, 250) * 2, maxDelayMillis)
      this.#later()
    })
  }
}

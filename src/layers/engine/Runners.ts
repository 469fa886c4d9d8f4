import { leaveWhenCold } from "../../protocol/RunProtocol.ts"
import { Child } from "./Child.ts"
import type { EngineSettings } from "./EngineConfig.ts"

const maxDelayMillis = 60_000

/**
 * Children for runs. One with the default memory is kept warm: its modules are loaded and its watchdog is up, so a run
 * starts within milliseconds. The next one is made a little after it was taken, so as not to slow the run down.
 */
export class Runners {
  readonly #settings: EngineSettings
  #warm: Child | undefined
  #timer: NodeJS.Timeout | undefined
  #delay: number
  #closed = false
  /** Whether the modules are compiled by now: asked for once, or children that cannot cache would come and go. */
  #compiled = false

  constructor(settings: EngineSettings) {
    this.#settings = settings
    this.#delay = settings.warmDelayMillis
    this.#later()
  }

  /** A child for a run with this heap (MiB), and whether it was waiting for it. */
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
    return new Child(this.#settings, memoryMib)
  }

  /** The process id of the waiting child. */
  get waiting(): number | undefined {
    return this.#warm?.pid
  }

  async close(): Promise<void> {
    this.#closed = true
    clearTimeout(this.#timer)
    this.#warm?.kill()
    await this.#warm?.stop(false)
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
    const child = new Child(this.#settings, this.#settings.memoryMib, options)
    this.#warm = child
    // One that dies while it waits is replaced, ever more slowly, so that a broken machine is not kept busy.
    void child.exited.then(() => {
      if (this.#warm !== child) return
      this.#warm = undefined
      void child.stop(false)
      this.#delay = Math.min(Math.max(this.#delay, 250) * 2, maxDelayMillis)
      this.#later()
    })
  }
}

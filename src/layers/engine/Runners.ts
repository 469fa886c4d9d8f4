import { isNeeding } from "../../nodes/Catalogue.ts"
import type { Flowline } from "../../protocol/Flowline.ts"
import type { RunIsolation } from "../../protocol/Isolation.ts"
import { leaveWhenCold, type Readiness, readyFor } from "../../protocol/RunProtocol.ts"
import { Child } from "./Child.ts"
import type { EngineSettings } from "./EngineConfig.ts"
import { idleProcessors } from "./IdleProcessors.ts"

const maxDelayMillis = 60_000

/** Pause before the next spare is started after a run had to start without one: more such runs may be starting. */
const afterCold = 500

/**
 * Milliseconds after the start of a run in which no spare is started, unless the run ends sooner: starting one takes
 * more processor time than most runs. While no processor is idle the pause is longer, up to the second value.
 */
const undisturbed = 500
const undisturbedOnBusy = 5000

/** Idle processors, on average, at which starting a spare does not slow down a run. */
const idleEnough = 0.5

/** Number of last runs whose needs the next spare prepares for. */
const telling = 4

/** Milliseconds between two spares: they are started one by one. */
const spacing = 250

/** How often the number of spares is compared with the number that is wanted. */
const reviewMillis = 1000

/** The modules that a spare can load in advance for a run of this flowline. */
export const readinessOf = ({ runtime, dag }: Flowline): ReadonlyArray<Readiness> => {
  if (runtime === "analytics") return ["analytics"]
  return dag.some((node) => isNeeding(node, "search")) ? ["search"] : []
}

const notIsolated: RunIsolation = { parts: [], missing: [], launcher: [], hasDoor: false }

/**
 * Starts the processes of runs. Some spares with the default memory are kept warm: their modules are loaded and their
 * parent watch runs, so that a run starts within milliseconds. The next spare is started when the run has ended or has
 * had some time, so that its start does not slow the run down. It also loads the analytics runtime or the search client
 * if one of the last runs needed it. One spare is enough for the runs that are started here. A gateway that may have to
 * take over the runs of another one keeps as many as that takes, because on a busy machine a start takes seconds.
 */
export class Runners {
  readonly #settings: EngineSettings
  #spares: ReadonlyArray<Child> = []
  #timer: NodeJS.Timeout | undefined
  #review: NodeJS.Timeout | undefined
  #delay: number
  #closed = false
  #isolation: RunIsolation = notIsolated
  #lately: ReadonlyArray<ReadonlyArray<Readiness>> = []
  /** The run that no start of a spare may disturb now, and until when at most (`performance.now()`). */
  #favoured: { readonly child: Child; readonly until: number } | undefined
  readonly #idle: () => number
  readonly #alive = new Set<Child>()
  /**
   * Whether a child has been started with `leaveWhenCold`: only the first is, because children that cannot write the
   * compile cache would restart forever.
   */
  #compiled = false

  constructor(settings: EngineSettings) {
    this.#settings = settings
    this.#idle = settings.idle ?? idleProcessors()
    this.#delay = settings.warmDelayMillis
    if (!settings.warm) return
    void this.isolation().then(() => {
      if (this.#closed) return
      this.#later(this.#delay)
      this.#review = setInterval(() => void this.#look(), reviewMillis)
    })
  }

  /** The isolation of children. Has to be called before {@link take}. */
  async isolation(): Promise<RunIsolation> {
    const isolation = (await this.#settings.isolation?.()) ?? notIsolated
    if (isolation !== this.#isolation) {
      this.#isolation = isolation
      // The spares were started with the former isolation.
      for (const child of this.#spares) void child.stop(false)
      this.#spares = []
    }
    return isolation
  }

  /** Returns a child for a run with this heap (MiB) and these needs, and whether it was warm. */
  take(memoryMib: number, needs: ReadonlyArray<Readiness>): { readonly child: Child; readonly warm: boolean } {
    this.#lately = [needs, ...this.#lately].slice(0, telling)
    const spare = this.#spares.find((child) => child.alive && child.memoryMib === memoryMib)
    if (spare === undefined) {
      if (this.#timer !== undefined) this.#postpone(Math.max(this.#delay, afterCold))
      return { child: this.fresh(memoryMib), warm: false }
    }
    this.#spares = this.#spares.filter((child) => child !== spare)
    this.#delay = this.#settings.warmDelayMillis
    this.#postpone(Math.max(this.#delay, undisturbed))
    this.#favoured = { child: spare, until: performance.now() + undisturbedOnBusy }
    this.#idle()
    void spare.exited.then(() => {
      if (this.#favoured?.child === spare) this.#postpone(this.#delay)
    })
    return { child: spare, warm: true }
  }

  fresh(memoryMib: number): Child {
    return this.#started(new Child(this.#settings, this.#isolation, memoryMib))
  }

  /** The number of children that have not ended. */
  get alive(): number {
    return this.#alive.size
  }

  /** The process ids of the warm children. */
  get waiting(): ReadonlyArray<number> {
    return this.#spares.flatMap(({ pid }) => pid ?? [])
  }

  async close(): Promise<void> {
    this.#closed = true
    clearTimeout(this.#timer)
    clearInterval(this.#review)
    for (const child of this.#spares) child.kill()
    await Promise.all(this.#spares.map((child) => child.stop(false)))
  }

  #started(child: Child): Child {
    this.#alive.add(child)
    void child.exited.finally(() => this.#alive.delete(child))
    return child
  }

  get #wanted(): number {
    return Math.max(1, this.#settings.spares?.() ?? 1)
  }

  /** Checks the isolation again, because a check that failed may succeed now. */
  async #look(): Promise<void> {
    if (this.#isolation.refusal !== undefined) await this.isolation()
    if (!this.#closed) this.#adjust()
  }

  #adjust(): void {
    if (this.#spares.length < this.#wanted && this.#timer === undefined) this.#later(this.#delay)
    const surplus = this.#spares.slice(this.#wanted)
    this.#spares = this.#spares.slice(0, this.#wanted)
    for (const child of surplus) void child.stop(false)
  }

  #postpone(millis: number): void {
    this.#favoured = undefined
    clearTimeout(this.#timer)
    this.#later(millis)
  }

  #later(millis: number): void {
    if (this.#closed || !this.#settings.warm) return
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      const isFavoured = this.#favoured !== undefined && performance.now() < this.#favoured.until
      if (isFavoured && this.#idle() < idleEnough) return this.#later(spacing)
      this.#favoured = undefined
      this.#start()
    }, millis)
  }

  #start(): void {
    if (this.#isolation.refusal !== undefined || this.#spares.length >= this.#wanted) return
    const options = this.#compiled ? [] : [leaveWhenCold]
    options.push(...[...new Set(this.#lately.flat())].map(readyFor))
    this.#compiled = true
    const child = this.#started(new Child(this.#settings, this.#isolation, this.#settings.memoryMib, options))
    this.#spares = [...this.#spares, child]
    if (this.#spares.length < this.#wanted) this.#later(spacing)
    // A warm child that dies is replaced after a growing delay, so that a broken machine is not kept busy.
    void child.exited.then(() => {
      if (!this.#spares.includes(child)) return
      this.#spares = this.#spares.filter((spare) => spare !== child)
      void child.stop(false)
      this.#delay = Math.min(Math.max(this.#delay, 250) * 2, maxDelayMillis)
      this.#postpone(this.#delay)
    })
  }
}

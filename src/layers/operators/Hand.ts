import { Worker } from "node:worker_threads"
import { hadItsTime } from "../../services/nodes/Guard.ts"
import { program } from "../Programs.ts"
import type { FromWorker, Order, Reply } from "./Protocol.ts"

/**
 * Memory for what a worker has just made. What is new in a turn is either sent away or forgotten with it, so more than
 * this is not quicker, and would be kept for good.
 */
const youngMib = 8

/** A worker died or was killed over an order: out of memory, or deaf to its own deadline. */
export interface Lost {
  /** The sample it was at; undefined when it did not even start. */
  readonly lost: number | undefined
}

/** How long a worker may take to start. */
const startMillis = 30_000

const notBegun = -1

/** How many times its allowance a worker may leave the question for its processor time unanswered. */
const mostSilence = 10

/** One worker thread and the order that it is at work on. */
export class Hand {
  readonly #worker: Worker
  /** The sample that the worker is at, and the processor time in milliseconds at which it began the order. */
  readonly #told = new Int32Array(new SharedArrayBuffer(8))
  readonly #ended: () => void
  /** Sessions whose program the worker has. */
  readonly sessions = new Set<number>()
  #settle: ((reply: Reply | Lost) => void) | undefined
  #deadline: NodeJS.Timeout | undefined
  #ready = false
  /** Milliseconds of processor for the order. */
  #patience = 0
  readonly #leisureMillis: number
  #leisure: NodeJS.Timeout | undefined
  alive = true

  /** `leisureMillis` is how long it stays without a test; `ended` is called when it takes no more orders. */
  constructor(memoryMib: number, leisureMillis: number, ended: () => void) {
    this.#leisureMillis = leisureMillis
    this.#ended = ended
    this.#worker = new Worker(program("operators"), {
      workerData: this.#told.buffer,
      resourceLimits: { maxOldGenerationSizeMb: memoryMib, maxYoungGenerationSizeMb: youngMib },
      env: {},
      stdin: false,
      stdout: true,
      stderr: true
    })
    this.#worker.unref()
    this.#worker.on("message", (message: FromWorker) => {
      if (!("ready" in message)) return this.#done(message)
      this.#ready = true
      if (this.#settle !== undefined) this.#watch(this.#patience, () => this.#judge())
    })
    this.#worker.on("error", () => this.#gone())
    this.#worker.on("messageerror", () => void this.end())
    this.#worker.on("exit", () => this.#gone())
  }

  get idle(): boolean {
    return this.alive && this.#settle === undefined
  }

  /** Sends an order and kills the worker when it has had so many milliseconds of processor without an answer. */
  give(order: Order, millis: number): Promise<Reply | Lost> {
    clearTimeout(this.#leisure)
    if (order.program !== undefined) this.sessions.add(order.session)
    return new Promise((resolve) => {
      this.#settle = resolve
      this.#patience = millis
      if (this.#ready) this.#watch(millis, () => this.#judge())
      else this.#watch(startMillis, () => this.end())
      this.#told[0] = order.from
      this.#told[1] = notBegun
      this.#worker.postMessage({ order })
    })
  }

  forget(session: number): void {
    if (this.sessions.delete(session) && this.alive) this.#worker.postMessage({ forget: session })
    this.#rest()
  }

  async end(): Promise<void> {
    await this.#worker.terminate()
    this.#gone()
  }

  #rest(): void {
    clearTimeout(this.#leisure)
    if (this.idle && this.sessions.size === 0)
      this.#leisure = setTimeout(() => this.#retire(), this.#leisureMillis).unref()
  }

  /** Out of the crew first: an order that it took now would be lost. */
  #retire(): void {
    if (!this.idle) return
    this.#gone()
    void this.#worker.terminate()
  }

  #watch(millis: number, then: () => Promise<void>): void {
    clearTimeout(this.#deadline)
    this.#deadline = setTimeout(() => void then(), millis)
  }

  /** The time for the order is over by the clock: a worker that others kept from working gets the rest of it. */
  async #judge(): Promise<void> {
    const patience = this.#patience
    const order = this.#settle
    this.#watch(patience * mostSilence, () => this.end())
    const usage = await this.#worker.cpuUsage().catch(() => undefined)
    if (usage === undefined || this.#settle !== order) return
    const began = this.#told[1]!
    const used = began === notBegun ? 0 : (usage.user + usage.system) / 1000 - began
    if (hadItsTime(used, patience)) return this.end()
    this.#watch(patience - used, () => this.#judge())
  }

  #done(reply: Reply | Lost): void {
    clearTimeout(this.#deadline)
    const settle = this.#settle
    this.#settle = undefined
    this.#rest()
    settle?.(reply)
  }

  #gone(): void {
    if (!this.alive) return
    this.alive = false
    clearTimeout(this.#leisure)
    this.#ended()
    this.#done({ lost: this.#ready ? this.#told[0]! : undefined })
  }
}

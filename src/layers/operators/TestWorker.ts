import { Worker } from "node:worker_threads"
import { program } from "../../drivers/Programs.ts"
import { hadItsTime } from "../../languages/Guard.ts"
import type { FromWorker, Order, WorkerReply } from "./WorkerMessages.ts"

/**
 * Size of the young generation in MiB. What a turn allocates is sent away or dropped with the turn, so a larger one
 * would not be faster and would keep its memory.
 */
const youngMib = 8

/** A worker died or was killed during an order: it ran out of memory or ignored its deadline. */
export interface Lost {
  /** The index of the sample that it was processing; undefined when it did not start. */
  readonly lost: number | undefined
}

/** Milliseconds that a worker has to start. */
const startMillis = 30_000

const notBegun = -1

/** A worker that does not report its processor time is killed after this multiple of its limit. */
const mostSilence = 10

/** One worker thread and its current order. */
export class TestWorker {
  readonly #worker: Worker
  /** The current sample of the worker, and its processor time in milliseconds at the start of the order. */
  readonly #told = new Int32Array(new SharedArrayBuffer(8))
  readonly #ended: () => void
  /** The sessions whose program the worker has received. */
  readonly sessions = new Set<number>()
  #settle: ((reply: WorkerReply | Lost) => void) | undefined
  #deadline: NodeJS.Timeout | undefined
  #ready = false
  /** Milliseconds of processor time for the current order. */
  #patience = 0
  readonly #idleMillis: number
  #idleTimer: NodeJS.Timeout | undefined
  alive = true

  /** `idleMillis` is how long the worker is kept idle. `ended` is called when it accepts no more orders. */
  constructor(memoryMib: number, idleMillis: number, ended: () => void) {
    this.#idleMillis = idleMillis
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

  /** Sends an order, and kills the worker after this many milliseconds of processor time without an answer. */
  give(order: Order, millis: number): Promise<WorkerReply | Lost> {
    clearTimeout(this.#idleTimer)
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
    clearTimeout(this.#idleTimer)
    if (this.idle && this.sessions.size === 0)
      this.#idleTimer = setTimeout(() => this.#retire(), this.#idleMillis).unref()
  }

  /** Leaves the scheduler before it ends the thread: an order sent in between would be lost. */
  #retire(): void {
    if (!this.idle) return
    this.#gone()
    void this.#worker.terminate()
  }

  #watch(millis: number, then: () => Promise<void>): void {
    clearTimeout(this.#deadline)
    this.#deadline = setTimeout(() => void then(), millis)
  }

  /**
   * Called when the wall-clock time of an order is over. A worker that did not get the processor receives the rest of
   * its processor time.
   */
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

  #done(reply: WorkerReply | Lost): void {
    clearTimeout(this.#deadline)
    const settle = this.#settle
    this.#settle = undefined
    this.#rest()
    settle?.(reply)
  }

  #gone(): void {
    if (!this.alive) return
    this.alive = false
    clearTimeout(this.#idleTimer)
    this.#ended()
    this.#done({ lost: this.#ready ? this.#told[0]! : undefined })
  }
}

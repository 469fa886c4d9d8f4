import { extname } from "node:path"
import { Worker } from "node:worker_threads"
import type { FromWorker, Order } from "./Protocol.ts"

/** The built worker lies beside the built layer, the source beside the source. */
const entry = new URL(`./worker${extname(import.meta.url)}`, import.meta.url)

/** A worker died or was killed over an order: out of memory, or deaf to its own deadline. */
export interface Lost {
  /** The sample it was at. */
  readonly lost: number
}

/** One worker thread and the order that it is at work on. */
export class Hand {
  readonly #worker: Worker
  readonly #reached = new Int32Array(new SharedArrayBuffer(4))
  readonly #ended: () => void
  /** Sessions whose program the worker has. */
  readonly sessions = new Set<number>()
  #settle: ((reply: FromWorker | Lost) => void) | undefined
  #deadline: NodeJS.Timeout | undefined
  alive = true

  constructor(memoryMib: number, ended: () => void) {
    this.#ended = ended
    this.#worker = new Worker(entry, {
      workerData: this.#reached.buffer,
      resourceLimits: { maxOldGenerationSizeMb: memoryMib },
      env: {},
      stdin: false,
      stdout: true,
      stderr: true
    })
    this.#worker.unref()
    this.#worker.on("message", (reply: FromWorker) => this.#done(reply))
    this.#worker.on("error", () => this.#gone())
    this.#worker.on("messageerror", () => void this.end())
    this.#worker.on("exit", () => this.#gone())
  }

  get idle(): boolean {
    return this.alive && this.#settle === undefined
  }

  /** Sends an order and kills the worker when it has not answered in time. */
  give(order: Order, millis: number): Promise<FromWorker | Lost> {
    if (order.program !== undefined) this.sessions.add(order.session)
    return new Promise((resolve) => {
      this.#settle = resolve
      this.#deadline = setTimeout(() => void this.end(), millis)
      this.#worker.postMessage({ order })
    })
  }

  forget(session: number): void {
    if (this.sessions.delete(session) && this.alive) this.#worker.postMessage({ forget: session })
  }

  async end(): Promise<void> {
    await this.#worker.terminate()
    this.#gone()
  }

  #done(reply: FromWorker | Lost): void {
    clearTimeout(this.#deadline)
    const settle = this.#settle
    this.#settle = undefined
    settle?.(reply)
  }

  #gone(): void {
    if (!this.alive) return
    this.alive = false
    this.#ended()
    this.#done({ lost: this.#reached[0]! })
  }
}

import { extname } from "node:path"
import { Worker } from "node:worker_threads"
import { portable } from "../../../../services/nodes/files/Blocks.ts"
import { NodeFailure } from "../../../../services/nodes/Pipeline.ts"
import type { Crew, Finished } from "../../../../services/nodes/parallel/Merge.ts"
import type { Part, Piece } from "../../../../services/nodes/parallel/Part.ts"
import { encodeOrder, type Order } from "../../Protocol.ts"
import { codeOf } from "../Failure.ts"
import { type Reply, type Request, ready, type Start } from "./Protocol.ts"

/** The built program lies beside the built layers, the source beside the sources. */
const entry = new URL(`./worker${extname(import.meta.url)}`, import.meta.url)

/** Pieces that a thread has at once: one to work on, one to go on with. */
const perThread = 2

/** The least heap that a thread does with, MiB: a run has no more threads than its memory holds of it. */
const leastHeapMib = 64
/** What a thread allocates between two collections; with V8's own choice it holds twice as much. */
const youngMib = 16

const outOfMemory = "ERR_WORKER_OUT_OF_MEMORY"

/** The parent finds the reason in what the process said last, as when its own heap is full. */
const dieOf = (code: string): never => {
  process.stderr.write(`${code}\n`)
  process.kill(process.pid, "SIGKILL")
  throw new Error(code)
}

/** A thread, which answers one piece after the other. */
class Thread {
  readonly #part: number
  readonly #worker: Worker
  readonly #waiting: Array<PromiseWithResolvers<Finished>> = []
  #lost: Error | undefined
  isReady = false

  constructor(part: number, order: Order, heapMib: number, onReady: () => void, onLost: (error: Error) => void) {
    this.#part = part
    const { NODE_COMPILE_CACHE: cache } = process.env
    this.#worker = new Worker(entry, {
      workerData: encodeOrder(order) satisfies Start,
      resourceLimits: { maxOldGenerationSizeMb: heapMib, maxYoungGenerationSizeMb: youngMib },
      // Compiled code is what a thread needs of the environment: it starts in half the time.
      env: cache === undefined ? {} : { NODE_COMPILE_CACHE: cache }
    })
    this.#worker.on("message", (reply: Reply | typeof ready) => {
      if (reply === ready) {
        this.isReady = true
        return onReady()
      }
      const next = this.#waiting.shift()
      if (!("failure" in reply)) next?.resolve({ ...reply, part: this.#part })
      else if (reply.component === undefined) next?.reject(new Error(reply.failure))
      else next?.reject(new NodeFailure({ component: reply.component, detail: reply.failure, cause: reply }))
    })
    this.#worker.once("error", (error) => {
      if (codeOf(error) === outOfMemory) dieOf(outOfMemory)
      onLost(this.#end(error instanceof Error ? error : new Error(String(error))))
    })
    this.#worker.once("messageerror", (error) => onLost(this.#end(error)))
    this.#worker.once("exit", () => onLost(this.#end(new Error("A part of the run ended unexpectedly"))))
  }

  get busy(): number {
    return this.#waiting.length
  }

  take(piece: Piece): Promise<Finished> {
    const answer = Promise.withResolvers<Finished>()
    if (this.#lost !== undefined) answer.reject(this.#lost)
    else {
      this.#waiting.push(answer)
      if ("block" in piece) {
        const [block, memory] = portable(piece.block)
        this.#worker.postMessage({ ...piece, block } satisfies Request, memory)
      } else this.#worker.postMessage(piece satisfies Request)
    }
    return answer.promise
  }

  async end(): Promise<void> {
    await this.#worker.terminate()
  }

  #end(error: Error): Error {
    this.#lost ??= error
    for (const { reject } of this.#waiting.splice(0)) reject(this.#lost)
    return this.#lost
  }
}

/** Milliseconds of work after which threads are started: they take longer than that to begin. */
const worthwhileMillis = 200

interface Waiting {
  readonly piece: Piece
  readonly answer: PromiseWithResolvers<Finished>
}

/**
 * Threads that run parts of a flowline and share the heap of the run. They take a while to start, in which `local`, a
 * part in this thread, does their work; without one they are waited for.
 */
export class Threads implements Crew {
  readonly ahead: number
  readonly #order: Order
  readonly #count: number
  readonly #local: (() => Part) | undefined
  #here: Part | undefined
  #isBusyHere = false
  #began: number | undefined
  readonly #waiting: Array<Waiting> = []
  readonly #threads: Array<Thread> = []

  constructor(order: Order, count: number, local?: () => Part) {
    this.#order = order
    this.#count = Math.max(1, Math.min(count, Math.floor(order.memoryMib / leastHeapMib)))
    this.#local = local
    this.ahead = perThread * this.#count
  }

  take(piece: Piece): Promise<Finished> {
    const answer = Promise.withResolvers<Finished>()
    this.#waiting.push({ piece, answer })
    this.#assign()
    return answer.promise
  }

  /** Gives what waits to whoever can take it. */
  readonly #assign = (): void => {
    this.#began ??= performance.now()
    const isLong = this.#local === undefined || performance.now() - this.#began > worthwhileMillis
    if (isLong && this.#threads.length === 0) this.#start()
    for (let worker = this.#free(); worker !== undefined && this.#waiting.length > 0; worker = this.#free()) {
      const { piece, answer } = this.#waiting.shift()!
      worker(piece).then(answer.resolve, answer.reject).finally(this.#assign)
    }
  }

  #free(): ((piece: Piece) => Promise<Finished>) | undefined {
    const able = this.#threads.filter(({ isReady }) => isReady)
    const [first, ...others] = able
    if (first === undefined) {
      const local = this.#local
      return local === undefined || this.#isBusyHere ? undefined : (piece) => this.#takeHere(local, piece)
    }
    const idlest = others.reduce((idlest, thread) => (thread.busy < idlest.busy ? thread : idlest), first)
    return idlest.busy < perThread ? (piece) => idlest.take(piece) : undefined
  }

  /** A thread has gone, perhaps before it was ready: nobody may wait for it. */
  readonly #fail = (error: Error): void => {
    for (const { answer } of this.#waiting.splice(0)) answer.reject(error)
  }

  #start(): void {
    const heapMib = Math.floor(this.#order.memoryMib / this.#count)
    for (let part = 0; part < this.#count; part++) {
      this.#threads.push(new Thread(part, this.#order, heapMib, this.#assign, this.#fail))
    }
  }

  async #takeHere(local: () => Part, piece: Piece): Promise<Finished> {
    this.#isBusyHere = true
    try {
      this.#here ??= local()
      return { ...(await this.#here.take(piece)), part: this.#count }
    } finally {
      this.#isBusyHere = false
    }
  }

  async close(): Promise<void> {
    await Promise.all(this.#threads.map((thread) => thread.end()))
  }
}

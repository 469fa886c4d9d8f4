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

  constructor(part: number, order: Order, heapMib: number) {
    this.#part = part
    this.#worker = new Worker(entry, {
      workerData: encodeOrder(order) satisfies Start,
      resourceLimits: { maxOldGenerationSizeMb: heapMib, maxYoungGenerationSizeMb: youngMib },
      env: { NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"] }
    })
    this.#worker.on("message", (reply: Reply | typeof ready) => {
      if (reply === ready) {
        this.isReady = true
        return
      }
      const next = this.#waiting.shift()
      if (!("failure" in reply)) next?.resolve({ ...reply, part: this.#part })
      else if (reply.component === undefined) next?.reject(new Error(reply.failure))
      else next?.reject(new NodeFailure({ component: reply.component, detail: reply.failure, cause: reply }))
    })
    this.#worker.once("error", (error) => {
      if (codeOf(error) === outOfMemory) dieOf(outOfMemory)
      this.#end(error instanceof Error ? error : new Error(String(error)))
    })
    this.#worker.once("messageerror", (error) => this.#end(error))
    this.#worker.once("exit", () => this.#end(new Error("A part of the run ended unexpectedly")))
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

  #end(error: Error): void {
    this.#lost ??= error
    for (const { reject } of this.#waiting.splice(0)) reject(this.#lost)
  }
}

/** Pieces after which threads are started: less is done before they could begin. */
const worthwhile = 8

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
  #taken = 0
  /** Settles when this thread is free. */
  #last: Promise<unknown> = Promise.resolve()
  readonly #threads: Array<Thread> = []

  constructor(order: Order, count: number, local?: () => Part) {
    this.#order = order
    this.#count = Math.max(1, Math.min(count, Math.floor(order.memoryMib / leastHeapMib)))
    this.#local = local
    this.ahead = perThread * this.#count
  }

  take(piece: Piece): Promise<Finished> {
    const least = this.#local === undefined ? 0 : worthwhile
    if (++this.#taken > least && this.#threads.length === 0) this.#start()
    const able = this.#local === undefined ? this.#threads : this.#threads.filter(({ isReady }) => isReady)
    const [first, ...others] = able
    if (first === undefined) return this.#takeHere(piece)
    return others.reduce((idlest, thread) => (thread.busy < idlest.busy ? thread : idlest), first).take(piece)
  }

  #start(): void {
    const heapMib = Math.floor(this.#order.memoryMib / this.#count)
    for (let part = 0; part < this.#count; part++) this.#threads.push(new Thread(part, this.#order, heapMib))
  }

  /** One piece after the other. */
  #takeHere(piece: Piece): Promise<Finished> {
    const work = async () => {
      this.#here ??= this.#local?.()
      if (this.#here === undefined) throw new Error("there is nobody to do it")
      return { ...(await this.#here.take(piece)), part: this.#count }
    }
    const taken = this.#last.then(work)
    this.#last = taken.catch(() => {})
    return taken
  }

  async close(): Promise<void> {
    await Promise.all(this.#threads.map((thread) => thread.end()))
  }
}

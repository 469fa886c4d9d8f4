import { extname } from "node:path"
import { Worker } from "node:worker_threads"
import { portable } from "../../../../services/nodes/files/Blocks.ts"
import { NodeFailure } from "../../../../services/nodes/Pipeline.ts"
import type { Crew, Finished } from "../../../../services/nodes/parallel/Merge.ts"
import type { Piece } from "../../../../services/nodes/parallel/Part.ts"
import { encodeOrder, type Order } from "../../Protocol.ts"
import { codeOf } from "../Failure.ts"
import type { Reply, Request, Start } from "./Protocol.ts"

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

  constructor(part: number, order: Order, heapMib: number) {
    this.#part = part
    this.#worker = new Worker(entry, {
      workerData: encodeOrder(order) satisfies Start,
      resourceLimits: { maxOldGenerationSizeMb: heapMib, maxYoungGenerationSizeMb: youngMib },
      env: { NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"] }
    })
    this.#worker.on("message", (reply: Reply) => {
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

/**
 * Threads that run parts of a flowline and share the heap of the run. They start when there is something to do for them.
 */
export class Threads implements Crew {
  readonly ahead: number
  readonly #order: Order
  readonly #count: number
  readonly #threads: Array<Thread> = []

  constructor(order: Order, count: number) {
    this.#order = order
    this.#count = Math.max(1, Math.min(count, Math.floor(order.memoryMib / leastHeapMib)))
    this.ahead = perThread * this.#count
  }

  take(piece: Piece): Promise<Finished> {
    let free = this.#threads.reduce<Thread | undefined>(
      (least, thread) => (least === undefined || thread.busy < least.busy ? thread : least),
      undefined
    )
    if (free === undefined || (free.busy > 0 && this.#threads.length < this.#count)) {
      free = new Thread(this.#threads.length, this.#order, Math.floor(this.#order.memoryMib / this.#count))
      this.#threads.push(free)
    }
    return free.take(piece)
  }

  async close(): Promise<void> {
    await Promise.all(this.#threads.map((thread) => thread.end()))
  }
}

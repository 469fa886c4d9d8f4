import { Worker } from "node:worker_threads"
import { codeOf } from "../../../drivers/Failure.ts"
import { program } from "../../../drivers/Programs.ts"
import { portable } from "../../../nodes/inputs/files/Blocks.ts"
import { encodeOrder, type Order } from "../../../protocol/RunProtocol.ts"
import { NodeFailure } from "../NodeFailure.ts"
import type { FinishedPiece, PartPool } from "./Merge.ts"
import type { Part, Piece } from "./Part.ts"
import { type PartReply, perPart, ready } from "./PartMessages.ts"

/** Minimum heap of a thread, in MiB. It limits the number of threads by the run's memory. */
const leastHeapMib = 64

const outOfMemory = "ERR_WORKER_OUT_OF_MEMORY"

/**
 * Ends the process with the error code as its last output, where the parent looks for the reason, as when the main heap
 * is full.
 */
const dieOf = (code: string): never => {
  process.stderr.write(`${code}\n`)
  process.kill(process.pid, "SIGKILL")
  throw new Error(code)
}

/** A thread that processes one piece after the other. */
class Thread {
  readonly #part: number
  readonly #worker: Worker
  readonly #onFree: () => void
  readonly #waiting: Array<PromiseWithResolvers<FinishedPiece>> = []
  #lost: Error | undefined
  isReady = false
  /** Number of pieces whose texts have not been processed. */
  busy = 0

  constructor(part: number, order: Order, heapMib: number, onFree: () => void, onLost: (error: Error) => void) {
    this.#part = part
    this.#onFree = onFree
    const { NODE_COMPILE_CACHE: cache } = process.env
    this.#worker = new Worker(program("part"), {
      workerData: encodeOrder(order),
      // The young generation is as large as in the main thread: in a smaller one records survive a collection, which
      // costs far more.
      resourceLimits: { maxOldGenerationSizeMb: heapMib },
      // A thread needs only the compile cache from the environment; with it, it starts in half the time.
      env: cache === undefined ? {} : { NODE_COMPILE_CACHE: cache }
    })
    this.#worker.on("message", (reply: PartReply | typeof ready) => {
      if (reply === ready) {
        this.isReady = true
        return onFree()
      }
      const next = this.#waiting.shift()
      if (!("failure" in reply)) next?.resolve({ ...reply, part: this.#part, free: this.#free })
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

  take(piece: Piece): Promise<FinishedPiece> {
    const answer = Promise.withResolvers<FinishedPiece>()
    this.busy++
    if (this.#lost !== undefined) answer.reject(this.#lost)
    else {
      this.#waiting.push(answer)
      if ("block" in piece) {
        const [block, memory] = portable(piece.block)
        this.#worker.postMessage({ ...piece, block } satisfies Piece, memory)
      } else this.#worker.postMessage(piece)
    }
    return answer.promise
  }

  async end(): Promise<void> {
    await this.#worker.terminate()
  }

  readonly #free = (): void => {
    this.busy--
    this.#onFree()
  }

  #end(error: Error): Error {
    this.#lost ??= error
    for (const { reject } of this.#waiting.splice(0)) reject(this.#lost)
    return this.#lost
  }
}

/** The part on this thread. */
class Here {
  readonly #part: number
  readonly #make: () => Part
  readonly #onFree: () => void
  #made: Part | undefined
  #isAtWork = false
  #busy = 0

  constructor(part: number, make: () => Part, onFree: () => void) {
    this.#part = part
    this.#make = make
    this.#onFree = onFree
  }

  get isFree(): boolean {
    return !this.#isAtWork && this.#busy < perPart
  }

  async take(piece: Piece): Promise<FinishedPiece> {
    this.#isAtWork = true
    this.#busy++
    try {
      // Lets the results of the threads be processed first.
      await new Promise((resolve) => setImmediate(resolve))
      this.#made ??= this.#make()
      return { ...(await this.#made.take(piece)), part: this.#part, free: this.#free }
    } finally {
      this.#isAtWork = false
    }
  }

  readonly #free = (): void => {
    this.#busy--
    this.#onFree()
  }
}

/** Milliseconds of work after which threads are started, which takes longer than that. */
const worthwhileMillis = 200

interface Waiting {
  readonly piece: Piece
  readonly answer: PromiseWithResolvers<FinishedPiece>
}

/**
 * Parts of a flowline that share the run's heap: `local`, which works on this thread, and further threads. Threads are
 * slow to start, so they are started only after some work or when much input follows. Without `local` all parts are
 * threads, and pieces wait until these are ready.
 */
export class Threads implements PartPool {
  readonly ahead: number
  readonly #order: Order
  readonly #count: number
  readonly #here: Here | undefined
  #began: number | undefined
  readonly #waiting: Array<Waiting> = []
  readonly #threads: Array<Thread> = []

  constructor(order: Order, count: number, local?: () => Part) {
    this.#order = order
    this.#count = Math.max(1, Math.min(count, Math.floor(order.memoryMib / leastHeapMib)))
    this.#here = local === undefined ? undefined : new Here(0, local, () => this.#assign())
    this.ahead = perPart * this.#count
  }

  take(piece: Piece): Promise<FinishedPiece> {
    const answer = Promise.withResolvers<FinishedPiece>()
    this.#waiting.push({ piece, answer })
    this.#assign()
    return answer.promise
  }

  hurry(): void {
    if (this.#threads.length === 0) this.#start()
  }

  /** Assigns waiting pieces to free parts. */
  readonly #assign = (): void => {
    this.#began ??= performance.now()
    if (this.#here === undefined || performance.now() - this.#began > worthwhileMillis) this.hurry()
    for (let part = this.#free(); part !== undefined && this.#waiting.length > 0; part = this.#free()) {
      const { piece, answer } = this.#waiting.shift()!
      part.take(piece).then(answer.resolve, answer.reject).finally(this.#assign)
    }
  }

  #free(): Thread | Here | undefined {
    const able = this.#threads.filter(({ isReady, busy }) => isReady && busy < perPart)
    if (able.length > 0) return able.reduce((idlest, thread) => (thread.busy < idlest.busy ? thread : idlest))
    return this.#here?.isFree === true ? this.#here : undefined
  }

  /** A thread has ended, perhaps before it was ready, so the waiting pieces fail. */
  readonly #fail = (error: Error): void => {
    for (const { answer } of this.#waiting.splice(0)) answer.reject(error)
  }

  #start(): void {
    const heapMib = Math.floor(this.#order.memoryMib / this.#count)
    for (let part = this.#here === undefined ? 0 : 1; part < this.#count; part++) {
      this.#threads.push(new Thread(part, this.#order, heapMib, this.#assign, this.#fail))
    }
  }

  async close(): Promise<void> {
    await Promise.all(this.#threads.map((thread) => thread.end()))
  }
}

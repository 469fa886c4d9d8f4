import { createHash, type Hash } from "node:crypto"
import { availableParallelism } from "node:os"
import { Worker } from "node:worker_threads"
import { type Answer, type Ask, type FilledSlot, sha256Thread } from "./sha256Thread.ts"

/**
 * Up to this many slots are hashed on the calling thread at the end, which takes less than a millisecond. They are held
 * until then, so it is fewer than a writer has at least. Longer streams are hashed on the hashing thread.
 */
const hereLimit = 4
/**
 * So many slots are handed to the hashing thread at once: each message wakes a thread and is answered by waking this
 * one. A writer has more slots than that and one to fill.
 */
const handedAtOnce = 4
/** With one processor handing the bytes over only costs time. */
const isAlone = availableParallelism() === 1
/** Milliseconds after which an idle hashing thread is ended. */
const idle = 10_000

type Waiting = PromiseWithResolvers<string>

const waiting = (): Waiting => {
  const made = Promise.withResolvers<string>()
  // The caller may have gone when the thread fails.
  made.promise.catch(() => {})
  return made
}

/** One thread for all long streams of this process: it hashes faster than a disk writes. */
class Thread {
  #worker: Worker | undefined
  #ids = 0
  #timer: NodeJS.Timeout | undefined
  readonly #streams = new Map<number, Array<Waiting>>()

  open(): number {
    clearTimeout(this.#timer)
    this.#worker ??= this.#start()
    // Keeps a process alive that only waits for a hash.
    this.#worker.ref()
    this.#streams.set(++this.#ids, [])
    return this.#ids
  }

  #start(): Worker {
    const worker = new Worker(`(${sha256Thread})()`, {
      eval: true,
      resourceLimits: { maxOldGenerationSizeMb: 32, maxYoungGenerationSizeMb: 4 }
    })
    worker.on("message", ({ id, sha256 = "" }: Answer) => this.#streams.get(id)?.shift()?.resolve(sha256))
    const lost = (error: unknown) => {
      if (this.#worker !== worker) return
      this.#worker = undefined
      for (const asked of this.#streams.values()) for (const { reject } of asked) reject(error)
      this.#streams.clear()
    }
    worker.on("error", lost)
    worker.on("exit", () => lost(new Error("the hashing thread has ended")))
    return worker
  }

  ask(ask: Ask): Promise<string> {
    const asked = this.#streams.get(ask.id)
    const answer = waiting()
    if (asked === undefined) answer.reject(new Error("the hashing thread has ended"))
    else {
      asked.push(answer)
      this.#worker?.postMessage(ask)
    }
    return answer.promise
  }

  close(id: number): void {
    if (!this.#streams.delete(id)) return
    this.#worker?.postMessage({ id, drop: true } satisfies Ask)
    if (this.#streams.size > 0) return
    this.#worker?.unref()
    this.#timer = setTimeout(() => {
      const worker = this.#worker
      this.#worker = undefined
      void worker?.terminate()
    }, idle).unref()
  }
}

const thread = new Thread()

/**
 * The SHA-256 of bytes that arrive in slots. Long streams are hashed on a separate thread while they are written. Must
 * be closed.
 */
export class Sha256 {
  /** What is not hashed yet: the first slots, or the next ones for the thread. */
  #held: Array<FilledSlot & { readonly hashed: Waiting }> = []
  #id: number | undefined
  readonly #here: Hash | undefined

  /** With `here` the calling thread hashes everything, as it arrives. */
  constructor(here = isAlone) {
    this.#here = here ? createHash("sha256") : undefined
  }

  /** Settles when the bytes were hashed; for the first slots that may be at the end. */
  async add(slot: SharedArrayBuffer, length: number): Promise<void> {
    if (this.#here !== undefined) {
      this.#here.update(new Uint8Array(slot, 0, length))
      return
    }
    const hashed = waiting()
    this.#held.push({ slot, length, hashed })
    if (this.#id === undefined && this.#held.length > hereLimit) this.#id = thread.open()
    if (this.#id !== undefined && this.#held.length >= handedAtOnce) this.#hand(this.#id)
    await hashed.promise
  }

  #hand(id: number): void {
    const handed = this.#held
    this.#held = []
    thread.ask({ id, slots: handed.map(({ slot, length }) => ({ slot, length })) }).then(
      (sha256) => {
        for (const { hashed } of handed) hashed.resolve(sha256)
      },
      (error) => {
        for (const { hashed } of handed) hashed.reject(error)
      }
    )
  }

  /** The digest in hex. No bytes may be added afterwards. */
  async digest(): Promise<string> {
    if (this.#here !== undefined) return this.#here.digest("hex")
    if (this.#id !== undefined) {
      if (this.#held.length > 0) this.#hand(this.#id)
      return thread.ask({ id: this.#id, end: true })
    }
    const hash = createHash("sha256")
    for (const { slot, length, hashed } of this.#held) {
      hash.update(new Uint8Array(slot, 0, length))
      hashed.resolve("")
    }
    this.#held = []
    return hash.digest("hex")
  }

  close(): void {
    this.#held = []
    if (this.#id !== undefined) thread.close(this.#id)
  }
}

import { createHash } from "node:crypto"
import { extname } from "node:path"
import { Worker } from "node:worker_threads"

/** Bytes that are hashed here, at the end; what is longer goes to the thread. Hashing them takes a few milliseconds. */
const hereLimit = 4 * 1024 * 1024
/** Room for the bytes on their way to the thread: this many times one write. */
const slots = 4
const slotBytes = 2 * 1024 * 1024
/** Milliseconds after which a thread that nobody needs is let go. */
const idle = 10_000

/** What the thread is told: a new stream, bytes in a slot of it, its end, or that nobody wants it any more. */
export type Ask =
  | { readonly id: number; readonly memory: SharedArrayBuffer }
  | { readonly id: number; readonly slot: number; readonly length: number }
  | { readonly id: number; readonly end: true }
  | { readonly id: number; readonly drop: true }

/** What it answers: a slot is free again, or the hash. */
export type Answer = { readonly id: number; readonly slot: number } | { readonly id: number; readonly sha256: string }

export { slotBytes }

const entry = new URL(`./sha256Thread${extname(import.meta.url)}`, import.meta.url)

/** A stream of bytes that the thread hashes. */
class Remote {
  readonly #thread: Thread
  readonly #id: number
  readonly #memory = new SharedArrayBuffer(slots * slotBytes)
  readonly #free = Array.from({ length: slots }, (_, slot) => slot)
  #room: (() => void) | undefined
  readonly #digest = Promise.withResolvers<string>()

  constructor(thread: Thread, id: number) {
    this.#thread = thread
    this.#id = id
    this.#digest.promise.catch(() => {})
    thread.post({ id, memory: this.#memory })
  }

  readonly take = (answer: Answer): void => {
    if ("sha256" in answer) {
      this.#digest.resolve(answer.sha256)
      return
    }
    this.#free.push(answer.slot)
    this.#room?.()
  }

  readonly fail = (error: unknown): void => {
    this.#digest.reject(error)
    this.#room?.()
  }

  async add(buffers: ReadonlyArray<Uint8Array>): Promise<void> {
    let [slot, length] = [await this.#slot(), 0]
    for (const buffer of buffers) {
      for (let rest = buffer; rest.length > 0; ) {
        const piece = rest.subarray(0, slotBytes - length)
        new Uint8Array(this.#memory, slot * slotBytes + length).set(piece)
        length += piece.length
        rest = rest.subarray(piece.length)
        if (length === slotBytes) {
          this.#thread.post({ id: this.#id, slot, length })
          ;[slot, length] = [await this.#slot(), 0]
        }
      }
    }
    if (length > 0) this.#thread.post({ id: this.#id, slot, length })
    else this.#free.push(slot)
  }

  async #slot(): Promise<number> {
    for (;;) {
      const slot = this.#free.pop()
      if (slot !== undefined) return slot
      // A thread that has failed says so here.
      await Promise.race([this.#digest.promise, new Promise<void>((resolve) => (this.#room = resolve))])
    }
  }

  digest(): Promise<string> {
    this.#thread.post({ id: this.#id, end: true })
    return this.#digest.promise
  }

  close(): void {
    this.#thread.close(this.#id)
  }
}

/** One thread for all long streams of this process: it hashes faster than a disk writes. */
class Thread {
  #worker: Worker | undefined
  #ids = 0
  #timer: NodeJS.Timeout | undefined
  readonly #streams = new Map<number, Remote>()

  open(): Remote {
    clearTimeout(this.#timer)
    this.#worker ??= this.#start()
    // A process whose work is nothing but to wait for a hash must not end before it.
    this.#worker.ref()
    const id = ++this.#ids
    const stream = new Remote(this, id)
    this.#streams.set(id, stream)
    return stream
  }

  #start(): Worker {
    const worker = new Worker(entry, { resourceLimits: { maxOldGenerationSizeMb: 32, maxYoungGenerationSizeMb: 4 } })
    worker.on("message", (answer: Answer) => this.#streams.get(answer.id)?.take(answer))
    const lost = (error: unknown) => {
      if (this.#worker !== worker) return
      this.#worker = undefined
      for (const stream of this.#streams.values()) stream.fail(error)
      this.#streams.clear()
    }
    worker.on("error", lost)
    worker.on("exit", () => lost(new Error("the hashing thread has ended")))
    return worker
  }

  post(ask: Ask): void {
    this.#worker?.postMessage(ask)
  }

  close(id: number): void {
    if (!this.#streams.delete(id)) return
    this.post({ id, drop: true })
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
 * The SHA-256 of bytes that come piece by piece. Long streams are hashed on a thread of their own, beside the writing.
 * It must be closed.
 */
export class Sha256 {
  #waiting: Array<Uint8Array> = []
  #bytes = 0
  #remote: Remote | undefined

  /** Settles when there is room for more. The buffers must not change until it has. */
  async add(buffers: ReadonlyArray<Uint8Array>, bytes: number): Promise<void> {
    if (this.#remote !== undefined) return this.#remote.add(buffers)
    this.#waiting.push(...buffers)
    this.#bytes += bytes
    if (this.#bytes <= hereLimit) return
    this.#remote = thread.open()
    const waiting = this.#waiting
    this.#waiting = []
    await this.#remote.add(waiting)
  }

  /** The digest in hex. Nothing can be added after it. */
  digest(): string | Promise<string> {
    if (this.#remote !== undefined) return this.#remote.digest()
    const hash = createHash("sha256")
    for (const buffer of this.#waiting) hash.update(buffer)
    return hash.digest("hex")
  }

  close(): void {
    this.#waiting = []
    this.#remote?.close()
  }
}

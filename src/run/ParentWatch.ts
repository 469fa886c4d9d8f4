import { Worker } from "node:worker_threads"
import { Failure } from "../drivers/Failure.ts"
import { program } from "../drivers/Programs.ts"
import type { Channel } from "./MessageChannel.ts"

/**
 * Reads the control pipe on a separate thread, so that an endless loop on the main thread cannot hide the death of the
 * gateway.
 */
export class ParentWatch {
  /** The first line of the pipe. */
  readonly order: Promise<string>
  /** The id of the thread in Linux, known with the order. */
  thread: number | undefined
  #published: PromiseWithResolvers<void> | undefined

  constructor() {
    const worker = new Worker(program("watchdog"), {
      resourceLimits: { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 1, stackSizeMb: 1 }
    })
    this.order = new Promise((resolve, reject) => {
      worker.once("message", ({ order, thread }: { readonly order: string; readonly thread: number | undefined }) => {
        this.thread = thread
        worker.on("message", () => {
          this.#published?.resolve()
          this.#published = undefined
        })
        resolve(order)
      })
      worker.once("error", (error) => {
        const isLacking = error instanceof Error && "code" in error && error.code === "ERR_WORKER_OUT_OF_MEMORY"
        reject(
          isLacking
            ? new Failure("No memory is free to start the run, or its address space is limited (ulimit -v)")
            : error
        )
      })
    })
  }

  /** Resolves when the gateway has confirmed the claim of this run. */
  mayPublish(channel: Channel): Promise<void> {
    if (this.#published === undefined) {
      this.#published = Promise.withResolvers()
      channel.send({ _tag: "Publishing" })
    }
    return this.#published.promise
  }
}

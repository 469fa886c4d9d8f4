import { Worker } from "node:worker_threads"
import { program } from "../drivers/Programs.ts"

/**
 * Reads the control pipe on a separate thread, so that an endless loop on the main thread cannot hide the death of the
 * gateway. Resolves with the order, the first line of the pipe.
 */
export const watch = (): Promise<string> =>
  new Promise((resolve, reject) => {
    const worker = new Worker(program("watchdog"), {
      resourceLimits: { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 1, stackSizeMb: 1 }
    })
    worker.once("message", resolve)
    worker.once("error", reject)
  })

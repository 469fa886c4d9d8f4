import { Worker } from "node:worker_threads"
import { program } from "../drivers/Programs.ts"

/**
 * Reads the control pipe on a thread of its own, so that a main thread that loops for ever cannot hide the death of the
 * gateway. Resolves with the order, the pipe's first line.
 */
export const watch = (): Promise<string> =>
  new Promise((resolve, reject) => {
    const worker = new Worker(program("watchdog"), {
      resourceLimits: { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 1, stackSizeMb: 1 }
    })
    worker.once("message", resolve)
    worker.once("error", reject)
  })

import { Socket } from "node:net"
import { isMainThread, parentPort, Worker } from "node:worker_threads"
import { lease } from "../protocol/Lease.ts"

/** An order is a flowline (4 MiB at most, as JSON) and a few paths. */
const maxOrderBytes = 16 * 1024 * 1024

/**
 * Reads the control pipe on a thread of its own, so that a main thread that loops for ever cannot hide the death of the
 * gateway: at the pipe's end the whole process group is killed. Resolves with the order, the pipe's first line.
 */
export const watch = (): Promise<string> =>
  new Promise((resolve, reject) => {
    const worker = new Worker(new URL(import.meta.url), {
      resourceLimits: { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 1, stackSizeMb: 1 }
    })
    worker.once("message", resolve)
    worker.once("error", reject)
  })

const killGroup = () => process.kill(-process.pid, "SIGKILL")

const read = () => {
  const pipe = new Socket({ fd: 0, readable: true, writable: false })
  const chunks: Array<Buffer> = []
  let bytes = 0
  let ordered = false
  let timer: NodeJS.Timeout | undefined
  const renew = () => {
    clearTimeout(timer)
    timer = setTimeout(killGroup, lease)
  }
  pipe.on("data", (chunk: Buffer) => {
    if (ordered) return renew()
    chunks.push(chunk)
    bytes += chunk.length
    if (bytes > maxOrderBytes) killGroup()
    if (!chunk.includes(0x0a)) return
    ordered = true
    const text = Buffer.concat(chunks.splice(0))
    // The gateway may be frozen right after the order: what stands behind it is the first sign of life.
    if (text.indexOf(0x0a) < text.length - 1) renew()
    parentPort?.postMessage(text.toString().trimEnd())
  })
  pipe.on("error", killGroup)
  pipe.on("close", killGroup)
}

if (!isMainThread) read()

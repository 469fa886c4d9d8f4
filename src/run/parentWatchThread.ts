import { Socket } from "node:net"
import { parentPort } from "node:worker_threads"
import { lease } from "../protocol/Liveness.ts"
import { mayPublish } from "../protocol/RunProtocol.ts"

// Entry of the thread that reads a run's control pipe. When the pipe ends, it kills the whole process group.

/** An order contains a flowline (at most 4 MiB as JSON) and a few paths. */
const maxOrderBytes = 16 * 1024 * 1024

const killGroup = () => process.kill(-process.pid, "SIGKILL")

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
  if (ordered) {
    if (chunk.includes(0x0a)) renew()
    if (chunk.includes(mayPublish)) parentPort?.postMessage(mayPublish)
    return
  }
  chunks.push(chunk)
  bytes += chunk.length
  if (bytes > maxOrderBytes) killGroup()
  if (!chunk.includes(0x0a)) return
  ordered = true
  const text = Buffer.concat(chunks.splice(0))
  // The gateway may freeze right after the order, so bytes after it already count as the first sign of life.
  if (text.indexOf(0x0a) < text.length - 1) renew()
  parentPort?.postMessage(text.toString().trimEnd())
})
pipe.on("error", killGroup)
pipe.on("close", killGroup)

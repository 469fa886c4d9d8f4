import { readlinkSync, readSync } from "node:fs"
import { Socket } from "node:net"
import { parentPort } from "node:worker_threads"
import { lease, signPoll } from "../protocol/Liveness.ts"
import { mayPublish, signsFd } from "../protocol/RunProtocol.ts"

// Entry of the thread that reads a run's control pipe. When the pipe ends, or the gateway's signs of life do, it kills
// the whole process group.

/** The thread's id in Linux. */
const ownThread = process.platform === "linux" ? Number(readlinkSync("/proc/thread-self").split("/").at(-1)) : undefined

/** An order contains a flowline (at most 4 MiB as JSON) and a few paths. */
const maxOrderBytes = 16 * 1024 * 1024

const killGroup = () => process.kill(0, "SIGKILL")

const pipe = new Socket({ fd: 0, readable: true, writable: false })
const chunks: Array<Buffer> = []
let bytes = 0
let ordered = false
let watching = false

/**
 * Kills the group when the gateway has given no sign of life for too long. A process that was frozen together with its
 * gateway ends as well, even if the gateway is awake again: others have taken over.
 */
const watchSigns = () => {
  if (watching) return
  watching = true
  const sign = new BigInt64Array(1)
  let last = process.hrtime.bigint()
  setInterval(() => {
    const now = process.hrtime.bigint()
    if (now - last > BigInt(lease) * 1_000_000n) killGroup()
    try {
      readSync(signsFd, sign, 0, 8, 0)
    } catch {
      return
    }
    // A value that is being written may be read in parts.
    if (sign[0]! > last && sign[0]! <= now) last = sign[0]!
  }, signPoll)
}

pipe.on("data", (chunk: Buffer) => {
  if (ordered) {
    if (chunk.includes(0x0a)) watchSigns()
    if (chunk.includes(mayPublish)) parentPort?.postMessage(mayPublish)
    return
  }
  chunks.push(chunk)
  bytes += chunk.length
  if (bytes > maxOrderBytes) killGroup()
  if (!chunk.includes(0x0a)) return
  ordered = true
  const text = Buffer.concat(chunks.splice(0))
  if (text.indexOf(0x0a) < text.length - 1) watchSigns()
  parentPort?.postMessage({ order: text.toString().trimEnd(), thread: ownThread })
})
pipe.on("error", killGroup)
pipe.on("close", killGroup)

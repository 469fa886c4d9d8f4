import { createHash, type Hash } from "node:crypto"
import { parentPort } from "node:worker_threads"
import { type Answer, type Ask, slotBytes } from "./Sha256.ts"

// Hashes the streams of one process, each in the order in which its bytes come.
const streams = new Map<number, { readonly memory: SharedArrayBuffer; readonly hash: Hash }>()
const answer = (said: Answer) => parentPort?.postMessage(said)

parentPort?.on("message", (ask: Ask) => {
  if ("memory" in ask) {
    streams.set(ask.id, { memory: ask.memory, hash: createHash("sha256") })
    return
  }
  const stream = streams.get(ask.id)
  if (stream === undefined) return
  if ("slot" in ask) {
    stream.hash.update(new Uint8Array(stream.memory, ask.slot * slotBytes, ask.length))
    answer({ id: ask.id, slot: ask.slot })
    return
  }
  streams.delete(ask.id)
  if ("end" in ask) answer({ id: ask.id, sha256: stream.hash.digest("hex") })
})

import { createHash, type Hash } from "node:crypto"
import { parentPort } from "node:worker_threads"
import type { Answer, Ask } from "./Sha256.ts"

// Hashes the streams of one process, each in the order in which its bytes come.
const streams = new Map<number, Hash>()
const answer = (said: Answer) => parentPort?.postMessage(said)

parentPort?.on("message", (ask: Ask) => {
  if ("drop" in ask) {
    streams.delete(ask.id)
    return
  }
  const hash = streams.get(ask.id) ?? createHash("sha256")
  if ("slot" in ask) {
    streams.set(ask.id, hash.update(new Uint8Array(ask.slot, 0, ask.length)))
    answer({ id: ask.id })
    return
  }
  streams.delete(ask.id)
  answer({ id: ask.id, sha256: hash.digest("hex") })
})

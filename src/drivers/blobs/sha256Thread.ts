import type { Hash } from "node:crypto"

/** What the thread is told: the next bytes of a stream, its end, or that nobody wants it any more. */
export type Ask =
  | { readonly id: number; readonly slot: SharedArrayBuffer; readonly length: number }
  | { readonly id: number; readonly end: true }
  | { readonly id: number; readonly drop: true }

/** What it answers, in the order of the asking: that the bytes were hashed, or the hash. */
export interface Answer {
  readonly id: number
  readonly sha256?: string
}

/**
 * All that the thread does: hashes the streams of one process, each in the order in which its bytes come. The thread is
 * started with the text of this function, which may use nothing around it: loading a TypeScript file would take it
 * 11 MiB, more than all the rest.
 */
export const sha256Thread = (): void => {
  const { createHash } = process.getBuiltinModule("node:crypto")
  const { parentPort } = process.getBuiltinModule("node:worker_threads")
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
}

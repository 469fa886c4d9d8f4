import type { Hash } from "node:crypto"

/** A slot and the number of its bytes. */
export interface FilledSlot {
  readonly slot: SharedArrayBuffer
  readonly length: number
}

/** The messages to the thread: the next bytes of a stream, its end, or its cancellation. */
export type Ask =
  | { readonly id: number; readonly slots: ReadonlyArray<FilledSlot> }
  | { readonly id: number; readonly end: true }
  | { readonly id: number; readonly drop: true }

/** The answers of the thread, in the order of the messages: the bytes were hashed, or the hash. */
export interface Answer {
  readonly id: number
  readonly sha256?: string
}

/**
 * Hashes the streams of one process, each in the order of its bytes. The thread is started from the source text of this
 * function, which therefore cannot refer to anything outside of it: loading a TypeScript file would take 11 MiB, more
 * than all the rest.
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
    if ("slots" in ask) {
      for (const { slot, length } of ask.slots) hash.update(new Uint8Array(slot, 0, length))
      streams.set(ask.id, hash)
      answer({ id: ask.id })
      return
    }
    streams.delete(ask.id)
    answer({ id: ask.id, sha256: hash.digest("hex") })
  })
}

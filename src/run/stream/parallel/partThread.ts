import { readSync } from "node:fs"
import { join } from "node:path"
import { parentPort, threadId, workerData } from "node:worker_threads"
import { Effect, Layer, Result } from "effect"
import { guard } from "../../../drivers/threads/TimeLimit.ts"
import { messageOf } from "../../../languages/ErrorMessage.ts"
import { flowlineWithSecrets } from "../../../nodes/flowline/SecretSettings.ts"
import { split } from "../../../nodes/flowline/Split.ts"
import type { RunContext } from "../../../nodes/Node.ts"
import { decodeOrder, type Order, secretsIn } from "../../../protocol/RunProtocol.ts"
import { StoredFiles } from "../../files/StoredFiles.ts"
import { inputs } from "../../InputContext.ts"
import { NodeFailure } from "../NodeFailure.ts"
import { type Piece, part } from "./Part.ts"
import { type PartReply, perPart, ready } from "./PartMessages.ts"
import { TextMemory } from "./TextMemory.ts"

// Entry of a thread that runs the inner nodes of a flowline on some of its records.

const elsewhere = () => {
  throw new Error("this is not available in a part of a run")
}

/** The context of stateless nodes: the files that they read when they start. */
const contextOf = (order: Order): RunContext => {
  const { spec, scratch, blobs } = order
  const storage = Layer.unwrap(
    Effect.promise(async () => (await import("../../../drivers/blobs/BlobsAt.ts")).runLayer(blobs))
  )
  const { signal } = new AbortController()
  return {
    ...inputs({ ...order, scratch: join(scratch, `part-${threadId}`) }, new StoredFiles(spec, storage), signal),
    patterns: spec.patterns,
    guard,
    position: { load: () => undefined },
    savePositions: elsewhere,
    file: elsewhere,
    archiveEntry: elsewhere,
    print: elsewhere,
    // The pipeline counts what its nodes reject.
    reject: () => {},
    signal
  }
}

/**
 * Reads synchronously: this thread has nothing else to do, and an asynchronous read would wake another thread for each
 * piece.
 */
const readAt = (file: number, into: Uint8Array, at: number): number => {
  let filled = 0
  for (let read = -1; read !== 0 && filled < into.length; filled += read) {
    read = readSync(file, into, filled, into.length - filled, at + filled)
  }
  return filled
}

const failureOf = (error: unknown): PartReply => {
  if (error instanceof NodeFailure) return { component: error.component, failure: error.detail }
  return { component: undefined, failure: messageOf(error) }
}

const order = decodeOrder(String(workerData))
const context = contextOf(order)
const flowline = flowlineWithSecrets(order.spec.flowline, secretsIn(order.spec))
const texts = new TextMemory(perPart, (bytes) => new SharedArrayBuffer(bytes))
const { take } = part(flowline, Result.getOrThrow(split(flowline)), () => context, { readAt, texts })
let done: Promise<void> = Promise.resolve()

parentPort?.on("message", (request: Piece) => {
  done = done.then(async () => {
    try {
      const made = await take(request)
      // Frees the memory at once: the garbage collector would let much of it pile up.
      if ("block" in request) for (const { buffer } of request.block.pieces) (buffer as ArrayBuffer).transfer(0)
      parentPort?.postMessage(made satisfies PartReply)
    } catch (error) {
      parentPort?.postMessage(failureOf(error))
    }
  })
})

parentPort?.postMessage(ready)

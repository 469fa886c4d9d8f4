import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import { Effect, Exit, Layer } from "effect"
import * as MessageStorage from "effect/cluster/MessageStorage"
import * as SqlMessageStorage from "effect/cluster/SqlMessageStorage"
import { takeover } from "../../protocol/Liveness.ts"

type Storage = MessageStorage.MessageStorage["Service"]

/**
 * A read marks messages, and marked ones are not read again for ten minutes. If the response to a read is lost, its
 * messages would wait that long. Therefore the marks are removed after a failure, and repeatedly for some seconds more,
 * because the server may execute the failed statement late. A message that is being processed is not processed twice.
 */
export const rereading = (storage: Storage): Storage => {
  let failedAt = Number.NEGATIVE_INFINITY
  const watched = <A, E>(work: Effect.Effect<A, E>) =>
    Effect.onExit(work, (exit) =>
      Effect.sync(() => {
        if (Exit.isFailure(exit)) failedAt = performance.now()
      })
    )
  const resetShards: Storage["resetShards"] = (shards) => watched(storage.resetShards(shards))
  return MessageStorage.MessageStorage.of({
    ...storage,
    resetShards,
    unprocessedMessages: (shards, options) =>
      Effect.suspend(() => {
        const read = watched(storage.unprocessedMessages(shards, options))
        return performance.now() - failedAt < takeover ? Effect.andThen(resetShards(shards), read) : read
      })
  })
}

/** The messages of the cluster in PostgreSQL. */
export const layer = (tables: { readonly prefix: string }) =>
  Layer.effect(MessageStorage.MessageStorage, Effect.map(MessageStorage.MessageStorage, rereading)).pipe(
    Layer.provide(SqlMessageStorage.layerWith(tables)),
    Layer.provide(NodeCrypto.layerDigest)
  )

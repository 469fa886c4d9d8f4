import { Effect } from "effect"
import { StorageUnreachable } from "../../errors/StorageUnreachable.ts"
import { outagePauses } from "../../protocol/OutagePauses.ts"

/** Retries until the storage responds. */
export const retryWhileUnreachable = <A>(effect: Effect.Effect<A, StorageUnreachable>): Effect.Effect<A> =>
  Effect.orDie(Effect.retry(effect, outagePauses))

/** Retries while the database is unreachable. An unreachable storage of blobs is a failure. */
export const retryWhileDatabaseAway = <A, E>(effect: Effect.Effect<A, E>): Effect.Effect<A, E> =>
  Effect.retry(effect, {
    schedule: outagePauses,
    while: (error) => error instanceof StorageUnreachable && error.storage === "metadata"
  })

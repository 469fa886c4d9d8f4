import { Effect, Schedule } from "effect"
import { StorageUnreachable } from "../../errors/StorageUnreachable.ts"
import { outageRetry } from "../../protocol/Liveness.ts"

const pauses = Schedule.min([Schedule.exponential(outageRetry.first), Schedule.spaced(outageRetry.longest)])

/** Retries until the storage responds, with pauses that double up to the longest one. */
export const retryWhileUnreachable = <A>(effect: Effect.Effect<A, StorageUnreachable>): Effect.Effect<A> =>
  Effect.orDie(Effect.retry(effect, pauses))

/** Retries while the database is unreachable. An unreachable storage of blobs is a failure. */
export const retryWhileDatabaseAway = <A, E>(effect: Effect.Effect<A, E>): Effect.Effect<A, E> =>
  Effect.retry(effect, {
    schedule: pauses,
    while: (error) => error instanceof StorageUnreachable && error.storage === "metadata"
  })

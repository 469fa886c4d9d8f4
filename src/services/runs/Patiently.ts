import { Effect, Schedule } from "effect"
import type { StorageUnreachable } from "../../errors/StorageUnreachable.ts"

/** Tries until the storage answers: what runs does not end because its database is away, its news wait until then. */
export const patiently = <A>(effect: Effect.Effect<A, StorageUnreachable>): Effect.Effect<A> =>
  Effect.orDie(Effect.retry(effect, Schedule.min([Schedule.exponential(100), Schedule.spaced(2000)])))

import { Effect } from "effect"
import type { Conflict } from "../../../errors/Conflict.ts"
import type { StorageUnreachable } from "../../../errors/StorageUnreachable.ts"

/**
 * Makes what a use case writes final, together with the answer that repeats of its request get: all of it or nothing.
 * A use case passes its last writes here, a few statements, because a transaction is open for as long as they take;
 * a failure among them undoes them. `Conflict`: another request with the same key has taken over, and nothing was
 * written.
 */
export type Commit<A> = <E, R>(writes: Effect.Effect<A, E, R>) => Effect.Effect<A, E | Conflict | StorageUnreachable, R>

/**
 * The `Commit` of a request without a key: no answer is kept. Uninterruptible, so that a client that leaves cannot
 * separate the writes.
 */
export const unkeyed = <A, E, R>(writes: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.uninterruptible(writes)

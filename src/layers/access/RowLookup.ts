import { Clock, Deferred, Effect, Exit, type Scope } from "effect"
import type { StorageUnreachable } from "../../errors/StorageUnreachable.ts"
import { monotonicMillis } from "../../protocol/MonotonicTime.ts"
import { ExpiringMap } from "./ExpiringMap.ts"

/**
 * Maximum number of entries in memory, for existing rows and for unknown ids each. They are kept apart so that guessed
 * ids do not push out rows.
 */
const mostKnown = 10_000
const mostUnknown = 10_000

/** Maximum number of ids in one statement. */
const mostIds = 500

/** A row as it was read, and what its reader remembers of it. */
export interface KnownRow<Row, Memory> {
  readonly row: Row
  /** Milliseconds of the monotonic clock until which it is taken from memory. */
  readonly until: number
  memory: Memory | undefined
}

/**
 * Finds rows by their ids, in memory for `millis` after they were read, else in the store. One statement is under way at
 * a time and asks for all ids that are wanted meanwhile, so that many requests with different ids, even made-up ones,
 * are few statements. A lookup that memory answers is an exit.
 */
export const makeRowLookup = Effect.fnUntraced(function* <Id extends string, Row extends { readonly id: Id }, Memory>(
  find: (ids: ReadonlyArray<Id>) => Effect.Effect<ReadonlyArray<Row>, StorageUnreachable>,
  millis: number
): Effect.fn.Return<
  (id: Id) => Effect.Effect<KnownRow<Row, Memory> | undefined, StorageUnreachable>,
  never,
  Scope.Scope
> {
  type Found = KnownRow<Row, Memory> | undefined
  const scope = yield* Effect.scope
  const clock = yield* Clock.Clock
  const known = new ExpiringMap<Id, KnownRow<Row, Memory>>(mostKnown)
  const unknown = new ExpiringMap<Id, true>(mostUnknown)
  const wanted = new Map<Id, Deferred.Deferred<Found, StorageUnreachable>>()
  let isReading = false

  const settle = (ids: Iterable<Id>, exitOf: (id: Id) => Exit.Exit<Found, StorageUnreachable>): void => {
    for (const id of ids) {
      const deferred = wanted.get(id)
      wanted.delete(id)
      if (deferred !== undefined) Deferred.doneUnsafe(deferred, exitOf(id))
    }
  }

  /**
   * Whether another read is needed. Synchronous, so that no id can be added between this check and the end of the
   * reading.
   */
  const isMoreWanted = (): boolean => {
    isReading = wanted.size > 0
    return isReading
  }

  const readAll = Effect.gen(function* () {
    while (isMoreWanted()) {
      const ids = [...wanted.keys().take(mostIds)]
      // Counted from before the read, so that a row is never used for longer than `millis` after it was read.
      const until = monotonicMillis(clock) + millis
      const read = yield* Effect.exit(find(ids))
      if (Exit.isFailure(read)) {
        // Ids that are still waiting fail, too: they would be read from the same failing storage.
        settle([...wanted.keys()], () => Exit.failCause(read.cause))
        continue
      }
      const found = new Map(read.value.map((row) => [row.id, { row, until, memory: undefined }]))
      settle(ids, (id) => {
        const row = found.get(id)
        if (millis === 0) return Exit.succeed(row)
        if (row === undefined) unknown.set(id, true, until)
        else known.set(id, row, until)
        return Exit.succeed(row)
      })
    }
  })

  const read = (id: Id) =>
    Effect.suspend(() => {
      let deferred = wanted.get(id)
      if (deferred === undefined) {
        deferred = Deferred.makeUnsafe()
        wanted.set(id, deferred)
      }
      const answer = Deferred.await(deferred)
      if (isReading) return answer
      isReading = true
      // Runs in its own fiber: the request that began the read may be interrupted while others wait for it.
      return Effect.andThen(Effect.forkIn(readAll, scope), answer)
    })

  return (id) => {
    const now = monotonicMillis(clock)
    const remembered = known.get(id, now)
    return remembered !== undefined || unknown.get(id, now) === true ? Effect.succeed(remembered) : read(id)
  }
})

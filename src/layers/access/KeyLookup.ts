import { Clock, Deferred, Effect, Exit, type Scope } from "effect"
import type { StorageUnreachable } from "../../errors/StorageUnreachable.ts"
import type { KeyId } from "../../services/keys/ApiKey.ts"
import type { KeyStore, StoredKey } from "../../services/keys/KeyStore.ts"
import { ExpiringMap } from "./ExpiringMap.ts"

/** Milliseconds for which a key, or that there is none, is taken from memory. A revoked key is refused that soon. */
export const keyMillis = 5000

/** Entries in memory: of keys that exist, and of ids that do not. The two are apart so that guesses push out no key. */
const mostKnown = 10_000
const mostUnknown = 10_000

/** Ids that one statement asks for. */
const mostIds = 500

/** A key as it was read, and what its reader remembers of it. */
export interface KnownKey<Memory> {
  readonly key: StoredKey
  /** Milliseconds of the monotonic clock until which it is taken from memory. */
  readonly until: number
  memory: Memory | undefined
}

/** Milliseconds of a clock that nobody sets. */
export const monotonicMillis = (clock: Clock.Clock): number => Number(clock.monotonicTimeNanosUnsafe()) / 1e6

/**
 * Finds keys by their ids, in memory for some seconds, else in the store. One statement is under way at a time and asks
 * for all ids that are wanted meanwhile, so that many requests with different keys, even made-up ones, are few
 * statements. A lookup that memory answers is an exit.
 */
export const makeKeyLookup = Effect.fnUntraced(function* <Memory>(
  store: KeyStore["Service"]
): Effect.fn.Return<
  (id: KeyId) => Effect.Effect<KnownKey<Memory> | undefined, StorageUnreachable>,
  never,
  Scope.Scope
> {
  type Found = KnownKey<Memory> | undefined
  const scope = yield* Effect.scope
  const clock = yield* Clock.Clock
  const known = new ExpiringMap<KeyId, KnownKey<Memory>>(mostKnown)
  const unknown = new ExpiringMap<KeyId, true>(mostUnknown)
  const wanted = new Map<KeyId, Deferred.Deferred<Found, StorageUnreachable>>()
  let isReading = false

  const settle = (ids: Iterable<KeyId>, exitOf: (id: KeyId) => Exit.Exit<Found, StorageUnreachable>): void => {
    for (const id of ids) {
      const deferred = wanted.get(id)
      wanted.delete(id)
      if (deferred !== undefined) Deferred.doneUnsafe(deferred, exitOf(id))
    }
  }

  /** Decides at once, so that no id comes between the last look and the end of the reading. */
  const isMoreWanted = (): boolean => {
    isReading = wanted.size > 0
    return isReading
  }

  const readAll = Effect.gen(function* () {
    while (isMoreWanted()) {
      const ids = [...wanted.keys().take(mostIds)]
      // From before the read, so that no key is taken from memory for longer after its revocation.
      const until = monotonicMillis(clock) + keyMillis
      const read = yield* Effect.exit(store.find(ids))
      if (Exit.isFailure(read)) {
        // Whoever waits would wait for the same storage again.
        settle([...wanted.keys()], () => Exit.failCause(read.cause))
        continue
      }
      const found = new Map(read.value.map((key) => [key.id, { key, until, memory: undefined }]))
      settle(ids, (id) => {
        const key = found.get(id)
        if (key === undefined) unknown.set(id, true, until)
        else known.set(id, key, until)
        return Exit.succeed(key)
      })
    }
  })

  const read = (id: KeyId) =>
    Effect.suspend(() => {
      let deferred = wanted.get(id)
      if (deferred === undefined) {
        deferred = Deferred.makeUnsafe()
        wanted.set(id, deferred)
      }
      const answer = Deferred.await(deferred)
      if (isReading) return answer
      isReading = true
      // A fiber of its own: the request that began it may be given up, while others wait for the same read.
      return Effect.andThen(Effect.forkIn(readAll, scope), answer)
    })

  return (id) => {
    const now = monotonicMillis(clock)
    const remembered = known.get(id, now)
    return remembered !== undefined || unknown.get(id, now) === true ? Effect.succeed(remembered) : read(id)
  }
})

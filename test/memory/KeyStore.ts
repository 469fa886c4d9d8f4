import { Clock, Effect, Layer, Stream } from "effect"
import type { ApiKey, KeyId } from "../../src/services/keys/ApiKey.ts"
import { endedDays, KeyStore, type NewKey, useInterval } from "../../src/services/keys/KeyStore.ts"
import { spanOf } from "./Lists.ts"

interface Entry extends NewKey {
  readonly ordinal: number
  readonly createdAt: number
  lastUsedAt: number | undefined
  revokedAt: number | undefined
}

const iso = (time: number | undefined): string | null => (time === undefined ? null : new Date(time).toISOString())

const shown = ({ id, name, role, owner, parent, ...times }: Entry): ApiKey => ({
  id,
  name,
  role,
  owner,
  parent: parent ?? null,
  createdAt: iso(times.createdAt)!,
  expiresAt: iso(times.expiresAt),
  lastUsedAt: iso(times.lastUsedAt),
  revokedAt: iso(times.revokedAt)
})

const endOf = ({ expiresAt, revokedAt }: Entry): number =>
  Math.min(expiresAt ?? Number.POSITIVE_INFINITY, revokedAt ?? Number.POSITIVE_INFINITY)

/** Keys in the process's memory: the same behaviour as in PostgreSQL, for tests. */
export const layer = Layer.sync(KeyStore, () => {
  const keys = new Map<KeyId, Entry>()
  let ordinal = 0
  const end = (id: KeyId, now: number): void => {
    const entry = keys.get(id)
    if (entry !== undefined) entry.revokedAt ??= now
    for (const made of keys.values()) if (made.parent === id) end(made.id, now)
  }
  return KeyStore.of({
    add: Effect.fnUntraced(function* (key, most) {
      const now = yield* Clock.currentTimeMillis
      const own = [...keys.values()].filter(({ tenant }) => tenant === key.tenant)
      for (const entry of own) if (endOf(entry) < now - endedDays * 86_400_000) keys.delete(entry.id)
      const valid = own.filter((entry) => endOf(entry) > now)
      if (key.parent !== undefined && !valid.some(({ id }) => id === key.parent)) return { _tag: "ParentEnded" }
      if (valid.length >= most) return { _tag: "Full", used: valid.length }
      if (keys.has(key.id)) return { _tag: "IdTaken" }
      ordinal += 1
      keys.set(key.id, { ...key, ordinal, createdAt: now, lastUsedAt: undefined, revokedAt: undefined })
      return { _tag: "Added", createdAt: new Date(now).toISOString() }
    }),
    find: (ids) =>
      Effect.sync(() =>
        ids.flatMap((id) => {
          const entry = keys.get(id)
          return entry === undefined ? [] : [{ ...entry, isRevoked: entry.revokedAt !== undefined }]
        })
      ),
    list: (tenant, span) =>
      Stream.suspend(() => {
        const own = [...keys.values()].filter((entry) => entry.tenant === tenant)
        const entries = spanOf(own, span, (entry) => entry.ordinal)
        return Stream.fromIterable(
          entries.map((entry) => ({ key: String(entry.ordinal), json: JSON.stringify(shown(entry)) }))
        )
      }),
    revoke: Effect.fnUntraced(function* (tenant, id) {
      const key = keys.get(id)
      if (key?.tenant !== tenant) return "Absent"
      const revoked = key.revokedAt === undefined ? "Now" : "Before"
      end(id, yield* Clock.currentTimeMillis)
      return revoked
    }),
    used: Effect.fnUntraced(function* (ids) {
      const now = yield* Clock.currentTimeMillis
      for (const id of ids) {
        const entry = keys.get(id)
        if (entry !== undefined && now - (entry.lastUsedAt ?? 0) > useInterval) entry.lastUsedAt = now
      }
    })
  })
})

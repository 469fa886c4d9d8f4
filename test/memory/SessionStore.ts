import { Clock, Effect, Layer } from "effect"
import { type NewSession, SessionStore } from "../../src/services/access/SessionStore.ts"

interface Entry extends NewSession {
  readonly beganAt: number
  readonly endsAt: number
  usedAt: number
}

/** Sessions in the process's memory: the same behaviour as in PostgreSQL, for tests. */
export const layer = Layer.sync(SessionStore, () => {
  const sessions = new Map<string, Entry>()
  const keep = (entries: ReadonlyArray<Entry>, most: number) => {
    for (const { id } of entries.toSorted((one, other) => other.usedAt - one.usedAt).slice(most - 1))
      sessions.delete(id)
  }
  return SessionStore.of({
    add: Effect.fnUntraced(function* (session, { each, all, idle }) {
      const now = yield* Clock.currentTimeMillis
      for (const { id, endsAt, usedAt } of sessions.values()) {
        if (endsAt <= now || usedAt < now - idle) sessions.delete(id)
      }
      keep(
        [...sessions.values()].filter(({ principal }) => principal === session.principal),
        each
      )
      keep([...sessions.values()], all)
      sessions.set(session.id, { ...session, beganAt: now, usedAt: now, endsAt: now + session.left })
    }),
    find: Effect.fnUntraced(function* (ids) {
      const now = yield* Clock.currentTimeMillis
      return ids.flatMap((id) => {
        const entry = sessions.get(id)
        if (entry === undefined) return []
        return [{ ...entry, age: now - entry.beganAt, idle: now - entry.usedAt, left: entry.endsAt - now }]
      })
    }),
    used: Effect.fnUntraced(function* (id) {
      const entry = sessions.get(id)
      if (entry !== undefined) entry.usedAt = yield* Clock.currentTimeMillis
    }),
    remove: (id) => Effect.sync(() => sessions.delete(id))
  })
})

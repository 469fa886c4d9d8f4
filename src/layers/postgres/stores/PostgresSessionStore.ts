import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { transaction, unreachable } from "../../../drivers/postgres/Unreachable.ts"
import {
  type NewSession,
  type SessionBounds,
  SessionStore,
  type StoredSession
} from "../../../services/access/SessionStore.ts"
import { millisOf, storable } from "../statements/SqlText.ts"
import { reached } from "../statements/StoredRows.ts"

/** Sessions in the table `sessions`. */
export const layer = Layer.effect(
  SessionStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const millis = (time: string) => millisOf(sql, time)

    const add = Effect.fn("SessionStore.add")(function* (session: NewSession, { each, all, idle }: SessionBounds) {
      const principal = storable(session.principal)
      // One login at a time, so that two of them leave no more rows than one.
      yield* sql`select pg_advisory_xact_lock(hashtextextended('sessions', 0))`
      yield* sql`
        delete from sessions where ends_at <= clock_timestamp()
        or used_at < clock_timestamp() - ${idle} * interval '1 millisecond'`
      yield* sql`
        delete from sessions where sha256 in (
          select sha256 from sessions where principal = ${principal} order by used_at desc offset ${each - 1}::integer)`
      yield* sql`
        delete from sessions where sha256 in (
          select sha256 from sessions order by used_at desc offset ${all - 1}::integer)`
      yield* sql`
        insert into sessions (sha256, principal, proof, ends_at) values (decode(${session.id}, 'hex'), ${principal},
          ${storable(session.proof)}, clock_timestamp() + ${session.left} * interval '1 millisecond')`
    })

    return SessionStore.of({
      add: (session, bounds) => transaction(sql, add(session, bounds)),
      find: (ids) =>
        unreachable(sql<StoredSession>`
          select encode(sha256, 'hex') as id, principal, proof, ${millis("clock_timestamp() - began_at")} as age,
            ${millis("clock_timestamp() - used_at")} as idle, ${millis("ends_at - clock_timestamp()")} as left
          from sessions where sha256 in (select decode(id, 'hex') from json_array_elements_text(${JSON.stringify(ids)}::json) id)`),
      used: (id) =>
        unreachable(
          Effect.asVoid(sql`update sessions set used_at = clock_timestamp() where sha256 = decode(${id}, 'hex')`)
        ),
      remove: (id) =>
        unreachable(reached(sql`delete from sessions where sha256 = decode(${id}, 'hex') returning 1 as one`))
    })
  })
)

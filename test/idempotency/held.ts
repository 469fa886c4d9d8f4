import { connect, createServer, type Socket } from "node:net"
import { PgClient } from "@effect/sql-pg"
import { Effect, Redacted, type Scope } from "effect"
import { Reactivity } from "effect/reactivity"
import { patience, until } from "../support/process.ts"

const lock = 4711

/**
 * Where a request is stopped: while it saves a flowline, while it writes its answer, or during the commit of the
 * answer.
 */
export type Place = "save" | "answer" | "commit"

/** Holds requests of the gateways of a database while they write. */
export interface Held {
  readonly sql: PgClient.PgClient
  /** Waits until the request that `begin` has sent is stopped, does `work`, and lets the request continue. */
  readonly during: <A, B, R1, R2>(
    place: Place,
    begin: Effect.Effect<B, never, R1>,
    work: (begun: B) => Effect.Effect<A, never, R2>
  ) => Effect.Effect<A, never, R1 | R2>
  /** How many rows a table has, as others see it. */
  readonly count: (table: string) => Effect.Effect<number>
}

/** Needs a migrated database. */
export const held = (url: Redacted.Redacted<string>): Effect.Effect<Held, never, Scope.Scope> =>
  Effect.gen(function* () {
    const connected = Effect.provide(PgClient.makeClient({ url, connectTimeout: patience }), Reactivity.layer)
    const sql = yield* connected
    const holder = yield* connected
    yield* sql`
      create function hold() returns trigger language plpgsql as $$
      begin perform pg_advisory_xact_lock(${sql.literal(String(lock))}); return new; end $$`
    const answers = "when (old.answer is null and new.answer is not null)"
    const triggers: Readonly<Record<Place, string>> = {
      save: "create trigger hold before insert on flowline_versions for each row",
      answer: `create trigger hold after update on idempotency for each row ${answers}`,
      commit: `create constraint trigger hold after update on idempotency deferrable initially deferred
        for each row ${answers}`
    }
    const isHeld = Effect.orDie(sql`
      select 1 from pg_locks where locktype = 'advisory' and objid = ${lock} and not granted
        and database = (select oid from pg_database where datname = current_database())`)
    const arm = (place: Place) =>
      Effect.andThen(
        sql`${sql.literal(triggers[place])} execute function hold()`,
        holder`select pg_advisory_lock(${lock})`
      )
    const disarm = (place: Place) =>
      Effect.andThen(
        holder`select pg_advisory_unlock(${lock})`,
        sql`drop trigger if exists hold on ${sql(place === "save" ? "flowline_versions" : "idempotency")}`
      )
    const during: Held["during"] = (place, begin, work) =>
      Effect.orDie(arm(place)).pipe(
        Effect.andThen(begin),
        Effect.tap(until(isHeld, (rows) => rows.length > 0)),
        Effect.flatMap(work),
        Effect.ensuring(Effect.orDie(disarm(place)))
      )
    return {
      sql,
      during,
      count: (table: string) =>
        Effect.orDie(
          Effect.map(sql<{ n: number }>`select count(*)::integer as n from ${sql(table)}`, ([row]) => row?.n ?? 0)
        )
    }
  }).pipe(Effect.orDie)

/** A way to the database on which all connections can be cut. */
export const cable = (url: Redacted.Redacted<string>) =>
  Effect.acquireRelease(
    Effect.callback<{ readonly url: string; readonly cut: () => void; readonly close: () => void }>((resume) => {
      const target = new URL(Redacted.value(url))
      const sockets = new Set<Socket>()
      const server = createServer((near) => {
        const far = connect(Number(target.port), target.hostname)
        for (const [one, other] of [
          [near, far],
          [far, near]
        ] as const) {
          sockets.add(one)
          one.on("error", () => {})
          one.on("close", () => {
            sockets.delete(one)
            other.destroy()
          })
          one.pipe(other)
        }
      })
      server.listen(0, "127.0.0.1", () => {
        const address = server.address()
        const through = new URL(target)
        through.host = `127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`
        const cut = () => {
          for (const socket of sockets) socket.destroy()
        }
        const close = () => {
          server.close()
          cut()
        }
        resume(Effect.succeed({ url: through.href, cut, close }))
      })
    }),
    ({ close }) => Effect.sync(close)
  )

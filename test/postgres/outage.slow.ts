import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import type { PgClient } from "@effect/sql-pg"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Fiber, References, type Scope, Stream } from "effect"
import { SqlClient } from "effect/sql"
import { postgresHealth, unreachable } from "../../src/drivers/postgres/Unreachable.ts"
import { layer, WideSql } from "../../src/layers/postgres/Postgres.ts"
import { signal } from "../../src/layers/postgres/processes.ts"
import { listPages } from "../../src/layers/postgres/statements/Pages.ts"
import type { ListRow } from "../../src/services/shared/reads/Listing.ts"
import { temporaryCluster } from "../support/postgresServer.ts"
import { eventually } from "../support/process.ts"

type Clients = SqlClient.SqlClient | PgClient.PgClient | WideSql

/** Runs a test with a separate server; `postmaster` returns its present pid, 0 if it is not running. */
const withServer = <E>(test: (postmaster: () => number) => Effect.Effect<void, E, Clients | Scope.Scope>) =>
  Effect.gen(function* () {
    const folder = yield* temporaryCluster
    const lock = join(folder, "postgres", "data", "postmaster.pid")
    const postmaster = () => (existsSync(lock) ? Number(readFileSync(lock, "utf8").split("\n")[0]) : 0)
    yield* test(postmaster).pipe(
      Effect.provide(layer(undefined, folder)),
      Effect.provideService(References.MinimumLogLevel, "None")
    )
  })

/** The server and all its processes, to be stopped or continued together. */
const family = (postmaster: number): ReadonlyArray<number> => [
  postmaster,
  ...readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((name) => {
      try {
        return readFileSync(`/proc/${name}/stat`, "utf8").split(") ")[1]?.split(" ")[1] === String(postmaster)
      } catch {
        return false
      }
    })
    .map(Number)
]

const freeze = (postmaster: number) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const frozen = family(postmaster)
      for (const pid of frozen) signal(pid, "SIGSTOP")
      return frozen
    }),
    (frozen) => Effect.sync(() => frozen.map((pid) => signal(pid, "SIGCONT")))
  )

/**
 * How work fails that has five seconds: before another timer of this process rings that has eight, however slow the
 * machine is.
 */
const failure = <A, E, R>(self: Effect.Effect<A, E, R>) =>
  Effect.raceFirst(
    Effect.flip(self),
    Effect.andThen(Effect.sleep("8 seconds"), Effect.die("It has not failed within its time"))
  )

const answers = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const wide = yield* WideSql
  yield* unreachable(Effect.all([sql`SELECT 1`, sql.withTransaction(sql`SELECT 2`), wide`SELECT 3`]))
})

const recovers = Effect.gen(function* () {
  const context = yield* Effect.context<SqlClient.SqlClient | WideSql>()
  yield* Effect.promise(() =>
    eventually("the database answers again", () => Effect.runPromiseWith(context)(Effect.isSuccess(answers)))
  )
})

const patience = 240_000

describe.runIf(process.platform === "linux").concurrent("an outage of PostgreSQL", () => {
  it.live(
    "that freezes it fails everything within five seconds, and passes by itself",
    () =>
      withServer((postmaster) =>
        Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          const wide = yield* WideSql
          yield* answers
          yield* Effect.scoped(
            Effect.gen(function* () {
              yield* freeze(postmaster())
              const order: Array<string> = []
              const failing = <A, E, R>(name: string, self: Effect.Effect<A, E, R>) =>
                Effect.tap(failure(self), () => Effect.sync(() => order.push(name)))
              const errors = yield* Effect.all(
                [
                  failing("statement", unreachable(sql`SELECT 1`)),
                  failing("transaction", unreachable(sql.withTransaction(sql`SELECT 1`))),
                  failing("wide", unreachable(wide`SELECT 1`)),
                  failing(
                    "list",
                    Stream.runDrain(
                      listPages(
                        { after: undefined, limit: undefined },
                        () => wide<ListRow>`SELECT 'a' AS key, '{}' AS json`
                      )
                    )
                  ),
                  failing("health", postgresHealth)
                ],
                { concurrency: "unbounded" }
              )
              for (const error of errors)
                expect(error).toMatchObject({ _tag: "StorageUnreachable", storage: "metadata" })
              // It has one second.
              expect(order[0]).toBe("health")
              // A second round meets new connections, which the frozen server does not take either.
              expect(yield* failure(unreachable(sql`SELECT 1`))).toMatchObject({ _tag: "StorageUnreachable" })
            })
          )
          yield* recovers
        })
      ),
    patience
  )

  it.live(
    "that freezes it in the middle of statements leaves no connection stuck",
    () =>
      withServer((postmaster) =>
        Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          const wide = yield* WideSql
          const running = yield* Effect.forkChild(
            Effect.all(
              [
                failure(unreachable(sql`SELECT pg_sleep(60)`)),
                failure(unreachable(sql.withTransaction(sql`SELECT pg_sleep(60)`))),
                failure(unreachable(wide`SELECT pg_sleep(60)`))
              ],
              { concurrency: "unbounded" }
            )
          )
          const isSleeping = wide<{ n: number }>`
          SELECT count(*)::int AS n FROM pg_stat_activity WHERE query LIKE 'SELECT pg_sleep%'`
          yield* Effect.repeat(isSleeping, { until: ([row]) => row?.n === 3 })
          const frozen = yield* freeze(postmaster())
          const outcomes = yield* Fiber.join(running)
          for (const error of outcomes) expect(error).toMatchObject({ _tag: "StorageUnreachable" })
          // It never thaws: it is killed, and the supervisor starts another.
          for (const pid of frozen) signal(pid, "SIGKILL")
          yield* recovers
        })
      ),
    patience
  )

  it.live(
    "by a kill ends in a restart on the same port, with every acknowledged row",
    () =>
      withServer((postmaster) =>
        Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          yield* sql`CREATE TABLE ledger (id int PRIMARY KEY)`
          const acknowledged: Array<number> = []
          let next = 0
          const insert = Effect.suspend(() => {
            const id = ++next
            return Effect.map(unreachable(sql`INSERT INTO ledger VALUES (${id})`), () => acknowledged.push(id))
          })
          const load = yield* Effect.forkChild(
            Effect.all(
              Array.from({ length: 16 }, () => Effect.forever(Effect.exit(insert))),
              { concurrency: "unbounded" }
            )
          )
          for (let round = 0; round < 2; round++) {
            const before = acknowledged.length
            yield* Effect.promise(() => eventually("rows are written", () => acknowledged.length > before + 200))
            const killed = postmaster()
            signal(killed, "SIGKILL")
            const down = yield* Effect.flip(Effect.forever(answers))
            expect(down._tag).toBe("StorageUnreachable")
            // Backends of the killed server may answer a moment longer.
            yield* Effect.promise(() => eventually("another server runs", () => ![0, killed].includes(postmaster())))
            yield* recovers
          }
          load.interruptUnsafe()
          const found = yield* sql<{ id: number }>`SELECT id FROM ledger`
          const kept = new Set(found.map(({ id }) => id))
          expect(acknowledged.filter((id) => !kept.has(id))).toEqual([])
        })
      ),
    patience
  )

  it.live(
    "does not include slow statements of a living server",
    () =>
      withServer(() =>
        Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          const wide = yield* WideSql
          const [error] = yield* Effect.all(
            [
              failure(unreachable(sql`SELECT pg_sleep(30)`)),
              unreachable(sql.withTransaction(sql`SELECT pg_sleep(3.5)`)),
              Stream.runDrain(wide`SELECT pg_sleep(8)`.stream)
            ],
            { concurrency: "unbounded" }
          )
          expect(error._tag).toBe("StorageUnreachable")
          // A wrong statement is nobody's outage.
          expect((yield* Effect.exit(unreachable(sql`SELECT nonsense`))).toString()).toContain("nonsense")
        })
      ),
    // A machine on which nobody gets a processor for five seconds has an outage indeed.
    { timeout: patience, retry: 3 }
  )
})

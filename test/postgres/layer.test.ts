import { PgClient } from "@effect/sql-pg"
import { describe, expect, layer } from "@effect/vitest"
import { Effect, Stream } from "effect"
import * as Reactivity from "effect/reactivity/Reactivity"
import { SqlClient } from "effect/sql"
import { postgresHealth } from "../../src/drivers/postgres/Unreachable.ts"
import { connect } from "../../src/drivers/search/SearchConnections.ts"
import { WideSql } from "../../src/layers/postgres/Postgres.ts"
import { TestPostgres } from "../support/postgres.ts"

describe("Postgres.layer", () => {
  layer(TestPostgres)("on a fresh database", (it) => {
    it.effect("answers on all clients", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const pg = yield* PgClient.PgClient
        const wide = yield* WideSql
        expect(yield* sql`SELECT 1 AS one`).toEqual([{ one: 1 }])
        expect(yield* pg`SELECT ${pg.json({ someKey: 1 })} AS doc`).toEqual([{ doc: { someKey: 1 } }])
        const rows = yield* Stream.runCollect(wide`SELECT n FROM generate_series(1, 5000) AS n`.stream)
        expect(rows.length).toBe(5000)
        yield* postgresHealth
      })
    )

    it.effect("limits statements of requests to five seconds, and those of lists not", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const wide = yield* WideSql
        expect(yield* sql`SHOW statement_timeout`).toEqual([{ statement_timeout: "5s" }])
        expect(yield* wide`SHOW statement_timeout`).toEqual([{ statement_timeout: "30min" }])
      })
    )

    it.effect("ends the transactions of a client that is frozen or gone, on every connection", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const wide = yield* WideSql
        const search = yield* connect({ url: wide.config.url!, connections: 1 })
        for (const client of [sql, wide, search.sql]) {
          const [row] = yield* client<{ limit: string }>`SHOW idle_in_transaction_session_timeout`.values
          expect(row).toEqual(["30s"])
        }
      }).pipe(Effect.provide(Reactivity.layer))
    )

    it.effect("keeps its tables to itself (first half)", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* sql`CREATE TABLE mine (id int)`
        expect(yield* sql`SELECT count(*)::int AS n FROM mine`).toEqual([{ n: 0 }])
      })
    )
  })

  layer(TestPostgres)("on another fresh database", (it) => {
    it.effect("keeps its tables to itself (second half)", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        expect(yield* sql`SELECT to_regclass('mine') IS NULL AS absent`).toEqual([{ absent: true }])
      })
    )
  })
})

import { PgClient } from "@effect/sql-pg"
import { expect, it } from "@effect/vitest"
import { Context, Effect, Layer, Redacted } from "effect"
import { Reactivity } from "effect/reactivity"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { postgresHealth, transaction, unreachable } from "../../src/drivers/postgres/Unreachable.ts"
import { StorageUnreachable } from "../../src/errors/StorageUnreachable.ts"
import { layerFromUrl } from "../../src/layers/postgres/Postgres.ts"
import { freshDatabase } from "../support/postgres.ts"

it.effect("a database that can only be read fails writes with 504, and is written again when it allows that", () =>
  Effect.gen(function* () {
    const url = yield* freshDatabase
    const admin = yield* PgClient.makeClient({ url })
    const [row] = yield* admin<{ name: string }>`SELECT current_database() AS name`
    yield* admin`CREATE TABLE written (n int)`
    const sql = Context.get(yield* Layer.build(layerFromUrl(url)), SqlClient.SqlClient)
    const statement = unreachable(sql`INSERT INTO written VALUES (1)`)
    const health = Effect.provideService(postgresHealth, SqlClient.SqlClient, sql)
    const inTransaction = transaction(sql, sql`INSERT INTO written VALUES (2)`)

    yield* admin`ALTER DATABASE ${admin(row!.name)} SET default_transaction_read_only = on`
    expect(yield* Effect.flip(statement)).toBeInstanceOf(StorageUnreachable)
    expect(yield* Effect.flip(inTransaction)).toBeInstanceOf(StorageUnreachable)
    expect(yield* unreachable(sql`SELECT n FROM written`)).toEqual([])
    expect(yield* Effect.flip(health)).toBeInstanceOf(StorageUnreachable)

    yield* admin`ALTER DATABASE ${admin(row!.name)} RESET default_transaction_read_only`
    // The check replaces a session from before, and so does the statement.
    yield* Effect.retry(health, { times: 1 })
    yield* Effect.retry(statement, { times: 1 })
    yield* TestClock.adjust("1 minute")
    yield* inTransaction
    expect(yield* admin`SELECT n FROM written ORDER BY n`).toEqual([{ n: 1 }, { n: 2 }])
  }).pipe(Effect.provide(Reactivity.layer))
)

it.effect("a database that takes no connections, or has another name for a while, cannot be reached", () =>
  Effect.gen(function* () {
    const url = yield* freshDatabase
    const name = new URL(Redacted.value(url)).pathname.slice(1)
    const other = new URL(Redacted.value(url))
    other.pathname = "/postgres"
    const admin = yield* PgClient.makeClient({ url: Redacted.make(other.href) })
    const sql = Context.get(yield* Layer.build(layerFromUrl(url)), SqlClient.SqlClient)
    const count = unreachable(sql`SELECT 1 AS one`)

    yield* admin`ALTER DATABASE ${admin(name)} ALLOW_CONNECTIONS false`
    expect(yield* Effect.flip(count)).toBeInstanceOf(StorageUnreachable)
    yield* admin`ALTER DATABASE ${admin(name)} ALLOW_CONNECTIONS true`
    expect(yield* count).toEqual([{ one: 1 }])

    yield* admin`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = ${name}`
    yield* Effect.retry(admin`ALTER DATABASE ${admin(name)} RENAME TO ${admin(`${name}_away`)}`, { times: 100 })
    // The first statement may meet the end of its session.
    yield* Effect.exit(count)
    expect(yield* Effect.flip(count)).toBeInstanceOf(StorageUnreachable)
    yield* admin`ALTER DATABASE ${admin(`${name}_away`)} RENAME TO ${admin(name)}`
    expect(yield* count).toEqual([{ one: 1 }])
  }).pipe(Effect.provide(Reactivity.layer))
)

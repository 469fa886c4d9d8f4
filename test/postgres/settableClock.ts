import { PgClient } from "@effect/sql-pg"
import { Effect } from "effect"
import { freshDatabase } from "../support/postgres.ts"

/** A new database in which `clock_timestamp()` stands at the epoch milliseconds that `set` was called with last. */
export const settableClock = Effect.gen(function* () {
  const url = yield* freshDatabase
  const ordinary = yield* PgClient.makeClient({ url })
  yield* ordinary`create schema faked`
  yield* ordinary`create table faked.clock as select to_timestamp(0) as at`
  yield* ordinary`
    create function faked.clock_timestamp() returns timestamptz language sql as 'select at from faked.clock'`
  const [database] = yield* ordinary<{ name: string }>`select current_database() as name`
  yield* ordinary`alter database ${ordinary(database!.name)} set search_path = faked, pg_catalog, public`
  // The setting applies to connections that are opened after it.
  const sql = yield* PgClient.makeClient({ url })
  const set = (millis: number) => sql`update faked.clock set at = to_timestamp(${millis}::float8 / 1000)`
  return { url, sql, set }
})

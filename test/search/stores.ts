import { PgClient } from "@effect/sql-pg"
import { Context, Effect, Layer } from "effect"
import * as Postgres from "../../src/drivers/search/PostgresSearch.ts"
import * as Memory from "../memory/Search.ts"
import { freshDatabase } from "../support/postgres.ts"

/** Documents in a fresh database. */
export const onPostgres = Layer.unwrap(
  Effect.map(freshDatabase, (url) =>
    Postgres.layer.pipe(Layer.provide(Layer.succeed(Postgres.SearchConfig, { url, connections: 4 })))
  )
)

/** A separate connection, to inspect what a search keeps and locks. */
export class Database extends Context.Service<Database, PgClient.PgClient>()("test/Database") {}

/** {@link onPostgres} with a connection to its database. */
export const onDatabase = Layer.unwrap(
  Effect.map(freshDatabase, (url) =>
    Layer.merge(
      Postgres.layer.pipe(Layer.provide(Layer.succeed(Postgres.SearchConfig, { url, connections: 4 }))),
      Layer.effect(Database, Effect.map(Layer.build(PgClient.layer({ url })), Context.get(PgClient.PgClient)))
    )
  )
)

export const inMemory = Memory.layer

export const stores = [
  ["memory", inMemory],
  ["PostgreSQL", onPostgres]
] as const

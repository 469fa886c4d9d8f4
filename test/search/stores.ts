import { Effect, Layer } from "effect"
import * as Postgres from "../../src/drivers/search/PostgresSearch.ts"
import * as Memory from "../memory/Search.ts"
import { freshDatabase } from "../support/postgres.ts"

/** Documents in a fresh database. */
export const onPostgres = Layer.unwrap(
  Effect.map(freshDatabase, (url) =>
    Postgres.layer.pipe(Layer.provide(Layer.succeed(Postgres.SearchConfig, { url, connections: 4 })))
  )
)

export const inMemory = Memory.layer

export const stores = [
  ["memory", inMemory],
  ["PostgreSQL", onPostgres]
] as const

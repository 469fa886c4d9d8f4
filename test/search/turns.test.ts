import { assert, layer } from "@effect/vitest"
import { Context, Deferred, Effect, Fiber, Layer } from "effect"
import { SqlClient } from "effect/sql"
import * as Postgres from "../../src/drivers/search/PostgresSearch.ts"
import { Search } from "../../src/drivers/search/Search.ts"
import { all } from "../../src/languages/query/Query.ts"
import { layerFromUrl } from "../../src/layers/postgres/Postgres.ts"
import { freshDatabase } from "../support/postgres.ts"
import { eventually } from "../support/process.ts"

/** The search with four connections, and the database as seen by another session. */
const both = Layer.unwrap(
  Effect.map(freshDatabase, (url) =>
    Layer.merge(
      Postgres.layer.pipe(Layer.provide(Layer.succeed(Postgres.SearchConfig, { url, connections: 4 }))),
      layerFromUrl(url)
    )
  )
)

layer(both, { excludeTestServices: true })("searches of several tenants", (it) => {
  it.effect("do not wait for those of one that has many", () =>
    Effect.gen(function* () {
      const search = yield* Search
      const sql = Context.get(yield* Effect.context<SqlClient.SqlClient>(), SqlClient.SqlClient)
      yield* search.write("many", "many-x", [{ id: "a", source: {} }])
      yield* search.write("few", "few-x", [{ id: "b", source: {} }])
      const [{ part } = { part: 0 }] = yield* sql<{ part: number }>`
        select part from search_parts join search_indices using (no) where tenant = 'many'`
      const waiting = sql<{ n: number }>`
        select count(*)::integer as n from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`
      const locked = yield* Deferred.make<void>()
      const answered = yield* Deferred.make<void>()
      let ended = 0
      const held = yield* Effect.forkChild(
        sql.withTransaction(
          Effect.gen(function* () {
            yield* sql`lock table ${sql(`search_part_${part}`)} in access exclusive mode`
            yield* Deferred.succeed(locked, undefined)
            yield* Deferred.await(answered)
          })
        )
      )
      yield* Deferred.await(locked)
      const searches = yield* Effect.forkChild(
        Effect.all(
          Array.from({ length: 12 }, () =>
            Effect.ensuring(
              Effect.exit(search.page("many", "many-x", all, { limit: 1, bytes: 1024 })),
              Effect.sync(() => ended++)
            )
          ),
          { concurrency: "unbounded" }
        )
      )
      const run = Effect.runPromiseWith(yield* Effect.context<never>())
      yield* Effect.promise(() =>
        eventually("searches wait for the lock", async () => ((await run(waiting))[0]?.n ?? 0) > 2)
      )
      assert.lengthOf((yield* search.page("few", "few-x", all, { limit: 1, bytes: 1024 })).hits, 1)
      assert.strictEqual(yield* search.count("few", "few-*", all), 1)
      assert.lengthOf(yield* search.indices("few"), 1)
      // They give up their lock after a while, four at a time: behind them it would be at least nine.
      assert.isBelow(ended, 9)
      yield* Deferred.succeed(answered, undefined)
      yield* Fiber.join(held)
      yield* Fiber.join(searches)
      assert.strictEqual(ended, 12)
    })
  )
})

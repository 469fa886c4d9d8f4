import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { Shop, shop } from "../engine/shop.ts"
import { eventually, until } from "../support/process.ts"
import { isAlive, runnersOf, site, temporary } from "../support/process-gateway.ts"
import { tenantOf } from "../support/runs.ts"

const flowline = `
runtime: stream
dag:
  - type: sql_input
    component: in
    settings: { url: "\${secret:SHOP}", query: TABLE orders, incremental: [ id ], position: nightly }
    publish: [ { stream: rows } ]
  - { type: show, settings: { format: json }, subscribe: [ { component: in, stream: rows } ] }
`

layer(shop, { excludeTestServices: true })("a gateway that is killed while a nightly flowline reads", (it) => {
  it.effect("reads again what no execution has read with success, and nothing else", () =>
    Effect.gen(function* () {
      const { sql, url, outbound } = yield* Shop
      const folder = yield* temporary
      mkdirSync(join(folder, "mytenant"))
      writeFileSync(join(folder, "mytenant", "SHOP"), url)
      const here = yield* site({ variables: { FLOW_OUTBOUND_ALLOW: outbound.join(","), FLOW_SECRETS: folder } })
      let gateway = yield* Effect.promise(() => here.start())
      yield* sql`CREATE TABLE orders AS SELECT n AS id FROM generate_series(1, 3) n`
      const tenant = () => tenantOf(gateway.url)
      const { id } = yield* Effect.promise(() => tenant().save(flowline))
      const start = Effect.promise(() => tenant().execute(id))
      const read = (execution: string) =>
        Effect.promise(async () => {
          const { state } = await tenant().ended(execution)
          assert.strictEqual(state, "SUCCEEDED")
          const path = `flowline/executions/${execution}/output`
          const { lines } = await tenant().get<{ readonly lines: ReadonlyArray<{ readonly text: string }> }>(path)
          return lines.map(({ text }): number => JSON.parse(text).id)
        })
      assert.deepStrictEqual(yield* Effect.flatMap(start, read), [1, 2, 3])
      yield* sql`INSERT INTO orders VALUES (4)`
      const execution = yield* sql.withTransaction(
        Effect.gen(function* () {
          yield* sql`LOCK TABLE orders IN ACCESS EXCLUSIVE MODE`
          const execution = yield* start
          const waiting = sql<{ n: number }>`SELECT count(*)::int AS n FROM pg_locks
            WHERE NOT granted AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`
          yield* until(waiting, ([row]) => row?.n === 1)
          const runners = runnersOf(gateway.pid)
          yield* Effect.promise(() => gateway.kill("SIGKILL"))
          yield* Effect.promise(() => eventually("the run is gone", () => !runners.some(isAlive)))
          gateway = yield* Effect.promise(() => here.start())
          return execution
        })
      )
      assert.deepStrictEqual(yield* read(execution), [4])
      assert.deepStrictEqual(yield* Effect.flatMap(start, read), [])
    })
  )
})

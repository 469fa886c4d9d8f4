import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { flowlineScope, PositionStore } from "../../src/services/runs/PositionStore.ts"
import { FlowlineId } from "../../src/services/shared/FlowlineId.ts"
import { TenantId } from "../../src/services/shared/Tenant.ts"
import { Shop, shop } from "../engine/shop.ts"
import { ended, flowlineForm, gateway, raw, TestGateway, temporaryFolder } from "../support/gateway.ts"
import { until } from "../support/process.ts"

const tenant = TenantId("mytenant")

/** The gateway, whose runs may reach the shop's database, and have its address as a secret. */
const withShop = Layer.unwrap(
  Effect.gen(function* () {
    const { url, outbound } = yield* Shop
    const folder = yield* temporaryFolder
    mkdirSync(join(folder, tenant))
    writeFileSync(join(folder, tenant, "SHOP"), url)
    return gateway({ outbound, secrets: { folder, keyFile: undefined } })
  })
).pipe(Layer.provideMerge(shop))

/** A nightly flowline on a separate table. */
const fileOf = (table: string, position = "nightly", query = `SELECT id, 10 / rest AS q FROM ${table}`) => `
runtime: stream
dag:
  - type: sql_input
    component: in
    settings: { url: "\${secret:SHOP}", query: "${query}", incremental: [ id ], position: ${position} }
    publish: [ { stream: rows } ]
  - { type: show, settings: { format: json }, subscribe: [ { component: in, stream: rows } ] }
`

const save = (text: string, id?: string) =>
  Effect.flatMap(
    raw(`/v1/${tenant}/flowline/save${id === undefined ? "" : `?id=${id}`}`, {
      method: "POST",
      body: flowlineForm(text)
    }),
    (answer) =>
      Effect.promise(async () => {
        assert.strictEqual(answer.status, 200)
        return ((await answer.json()) as { readonly id: string }).id
      })
  )

const start = (id: string) =>
  Effect.flatMap(raw(`/v1/${tenant}/flowline/${id}`, { method: "POST" }), (answer) =>
    Effect.promise(() => answer.json() as Promise<{ readonly id: string }>)
  )

/** The ids that an execution has read, once it has ended, or why it failed. */
const readBy = (id: string, execution: string) =>
  Effect.gen(function* () {
    const detail = yield* ended(tenant, id, execution)
    if (detail.state !== "SUCCEEDED") return detail.error ?? detail.state
    const answer = yield* raw(`/v1/${tenant}/flowline/executions/${execution}/output`)
    const { lines } = (yield* Effect.promise(() => answer.json())) as {
      readonly lines: ReadonlyArray<{ text: string }>
    }
    return lines.map(({ text }): number => JSON.parse(text).id)
  })

const night = (id: string) => Effect.flatMap(start(id), (execution) => readBy(id, execution.id))

const kept = (id: string) => Effect.flatMap(PositionStore, (store) => store.load(tenant, flowlineScope(FlowlineId(id))))

/** A table with rows from 1 on. */
const table = Effect.fnUntraced(function* (name: string, rows: number) {
  const { sql } = yield* Shop
  const named = sql.literal(name)
  yield* sql`CREATE TABLE ${named} AS SELECT n AS id, 1 AS rest FROM generate_series(1, ${rows}::int) n`
  return {
    add: (id: number, rest = 1) => sql`INSERT INTO ${named} VALUES (${id}, ${rest})`,
    mend: sql`UPDATE ${named} SET rest = 1`,
    /** Makes readers of the table wait during the effect. */
    held: <A, E, R>(work: Effect.Effect<A, E, R>) =>
      sql.withTransaction(Effect.andThen(sql`LOCK TABLE ${named} IN ACCESS EXCLUSIVE MODE`, work))
  }
})

/** Waits until so many sessions of runs wait for a lock in the shop. */
const waiting = (count: number) =>
  Effect.flatMap(Shop, ({ sql }) =>
    until(
      sql<{ n: number }>`SELECT count(*)::int AS n FROM pg_locks
        WHERE NOT granted AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
      ([row]) => (row?.n ?? 0) >= count
    )
  )

layer(withShop, { excludeTestServices: true })("a position of sql_input", (it) => {
  it.effect("lasts from one execution of the saved flowline to the next", () =>
    Effect.gen(function* () {
      const { add } = yield* table("lasting", 3)
      const id = yield* save(fileOf("lasting"))
      assert.deepStrictEqual(yield* night(id), [1, 2, 3])
      assert.deepStrictEqual(yield* night(id), [])
      yield* add(4)
      assert.deepStrictEqual(yield* night(id), [4])
      assert.notInclude(JSON.stringify(yield* kept(id)), "postgres")
      // A later version of the flowline with the same input continues there; one with another input starts anew.
      yield* add(5)
      yield* save(`${fileOf("lasting")}# A comment.`, id)
      assert.deepStrictEqual(yield* night(id), [5])
      yield* save(fileOf("lasting", "again"), id)
      assert.deepStrictEqual(yield* night(id), [1, 2, 3, 4, 5])
      yield* save(fileOf("lasting", "again", "SELECT id FROM lasting WHERE id > 2"), id)
      assert.deepStrictEqual(yield* night(id), [3, 4, 5])
      assert.deepStrictEqual(yield* night(id), [])
    })
  )

  it.effect("stays where it is when an execution fails, is cancelled or killed, or only a try", () =>
    Effect.gen(function* () {
      const { add, mend, held } = yield* table("kept_back", 2)
      const id = yield* save(fileOf("kept_back"))
      assert.deepStrictEqual(yield* night(id), [1, 2])
      const before = yield* kept(id)
      yield* add(3)
      yield* add(4, 0)
      assert.include(String(yield* night(id)), "division by zero")
      yield* mend
      const killed = yield* held(
        Effect.gen(function* () {
          const execution = yield* start(id)
          yield* waiting(1)
          const detail = yield* Effect.flatMap(TestGateway, ({ client }) =>
            client.executions.detail({ params: { tenant, flowlineId: id, executionId: execution.id } })
          )
          process.kill(Number(detail.jobId?.split(":")[1]), "SIGKILL")
          return yield* ended(tenant, id, execution.id)
        })
      )
      assert.strictEqual(killed.state, "FAILED")
      const cancelled = yield* held(
        Effect.gen(function* () {
          const execution = yield* start(id)
          yield* waiting(1)
          yield* raw(`/v1/${tenant}/flowline/${id}/executions/${execution.id}`, { method: "DELETE" })
          return yield* ended(tenant, id, execution.id)
        })
      )
      assert.strictEqual(cancelled.state, "CANCELLED")
      const form = new FormData()
      form.set("id", id)
      const tried = yield* raw(`/v1/${tenant}/flowline/try`, { method: "POST", body: form })
      assert.strictEqual(tried.status, 200)
      assert.include(yield* Effect.promise(() => tried.text()), '"recordsOut":4')
      assert.deepStrictEqual(yield* kept(id), before)
      assert.deepStrictEqual(yield* night(id), [3, 4])
    })
  )

  it.effect("is one of two executions that run at once, and no row is lost", () =>
    Effect.gen(function* () {
      const { add, held } = yield* table("twice", 2)
      const id = yield* save(fileOf("twice"))
      const both = yield* held(
        Effect.gen(function* () {
          const executions = [yield* start(id), yield* start(id)]
          yield* waiting(2)
          return executions
        })
      )
      for (const { id: execution } of both) assert.deepStrictEqual(yield* readBy(id, execution), [1, 2])
      yield* add(3)
      assert.deepStrictEqual(yield* night(id), [3])
    })
  )

  it.effect("goes with the flowline, also when an execution ends after that", () =>
    Effect.gen(function* () {
      const { held } = yield* table("going", 2)
      const id = yield* save(fileOf("going"))
      assert.deepStrictEqual(yield* night(id), [1, 2])
      assert.deepStrictEqual(Object.keys(yield* kept(id)), ["in"])
      const last = yield* held(
        Effect.gen(function* () {
          const execution = yield* start(id)
          yield* waiting(1)
          yield* raw(`/v1/${tenant}/flowline/${id}`, { method: "DELETE" })
          assert.deepStrictEqual(yield* kept(id), {})
          return execution.id
        })
      )
      assert.deepStrictEqual(yield* readBy(id, last), [])
      assert.deepStrictEqual(yield* kept(id), {})
    })
  )

  it.effect("is refused where nothing tells what is new", () =>
    Effect.gen(function* () {
      for (const [more, detail] of [
        ["", "A position needs incremental, the columns that tell what is new"],
        [", incremental: [ id ], every: 1s", "remove position or every"]
      ] as const) {
        const text = `runtime: stream\ndag:\n  - { type: sql_input, settings: { url: "postgres://a/b", query: "SELECT 1", position: x${more} } }\n`
        const answer = yield* raw(`/v1/${tenant}/flowline/save`, { method: "POST", body: flowlineForm(text) })
        assert.strictEqual(answer.status, 400)
        const problem = yield* Effect.promise(() => answer.text())
        assert.include(problem, detail)
        assert.include(problem, "/dag/0/settings/position")
      }
    })
  )
})

import { expect, layer } from "@effect/vitest"
import { Context, Effect, Fiber, Layer, Redacted } from "effect"
import { type Held, held } from "../idempotency/held.ts"
import { flowlineForm, gateway, raw } from "../support/gateway.ts"
import { freshDatabase } from "../support/postgres.ts"
import { until } from "../support/process.ts"
import { generator } from "../support/runs.ts"

class Database extends Context.Service<Database, Held>()("test/AuditDatabase") {}

const suite = Layer.unwrap(
  Effect.gen(function* () {
    const url = yield* freshDatabase
    const database = yield* held(url)
    return Layer.merge(gateway({ databaseUrl: Redacted.value(url), role: "api" }), Layer.succeed(Database, database))
  })
)

const save = (tenant: string, key?: string) =>
  Effect.flatMap(
    raw(`/v1/${tenant}/flowline/save`, {
      method: "POST",
      body: flowlineForm(generator(1, 1)),
      headers: key === undefined ? {} : { "idempotency-key": key }
    }),
    (answer) =>
      Effect.as(
        Effect.promise(() => answer.text()),
        answer.status
      )
  )

/** The numbers of flowlines and of their rows, at one moment. */
const counted = Effect.flatMap(Database, ({ sql }) =>
  Effect.map(
    sql<{ flowlines: number; rows: number }>`
      select (select count(*) from flowlines)::integer as flowlines, (
        select count(*) from audit where action = 'flowlines.save' and outcome = 'done')::integer as rows`,
    ([row]) => row!
  )
)

layer(suite, { excludeTestServices: true })("a change whose row cannot be written", (it) => {
  it.effect("is not made while the audit is locked, and is 504; with a key, too", () =>
    Effect.gen(function* () {
      const { sql } = yield* Database
      expect([yield* save("mytenant"), yield* save("othertenant")]).toEqual([200, 200])
      yield* sql.withTransaction(
        Effect.gen(function* () {
          yield* sql`lock table audit in access exclusive mode`
          const both = [save("mytenant"), save("mytenant", "locked")]
          expect(yield* Effect.all(both, { concurrency: 2 })).toEqual([504, 504])
        })
      )
      // On a busy machine a request may give up while its commit is waiting. Then both exist, otherwise neither.
      const { flowlines, rows } = yield* counted
      expect(rows).toBe(flowlines)
      // The same request again, with the same key, has its answer or is done now.
      expect(yield* until(save("mytenant", "locked"), (status) => status === 200)).toBe(200)
      const after = yield* counted
      expect(after.rows).toBe(after.flowlines)
    })
  )

  it.effect("waits for the chain of its tenant only", () =>
    Effect.gen(function* () {
      const { sql } = yield* Database
      const before = yield* counted
      const waiting = yield* sql.withTransaction(
        Effect.gen(function* () {
          yield* sql`select 1 from audit_heads where tenant = 'mytenant' for update`
          const waiting = yield* Effect.forkDetach(save("mytenant"))
          expect(yield* until(save("othertenant"), (status) => status === 200)).toBe(200)
          return waiting
        })
      )
      const status = yield* Fiber.join(waiting)
      expect([200, 504]).toContain(status)
      const after = yield* counted
      expect(after.rows).toBe(after.flowlines)
      expect(after.rows).toBeGreaterThan(before.rows)
    })
  )
})

import { PgClient } from "@effect/sql-pg"
import { expect, layer } from "@effect/vitest"
import { Effect, Exit, Fiber, Layer, Redacted, Scope } from "effect"
import { Reactivity } from "effect/reactivity"
import { configuration } from "../support/conf.ts"
import { gateway, raw, TestGateway } from "../support/gateway.ts"
import { eventually } from "../support/process.ts"

const twoTenants = Layer.unwrap(Effect.map(configuration, ({ root }) => gateway({ conf: root })))

layer(twoTenants, { excludeTestServices: true })("transactions of one tenant", (it) => {
  it.effect("that wait for each other leave connections to others", () =>
    Effect.gen(function* () {
      const { settings } = yield* TestGateway
      // Each has one connection.
      const client = PgClient.makeClient({ url: Redacted.make(settings.databaseUrl ?? "") })
      const sql = yield* client
      const watching = yield* client
      const store = (tenant: string, path: string) => {
        const body = new FormData()
        body.set("path", path)
        body.set("file", new Blob(["x"]), "x.txt")
        return Effect.map(raw(`/v1/${tenant}/registry`, { method: "POST", body }), ({ status }) => status)
      }
      expect(yield* store("mytenant", "first.txt")).toBe(200)
      const held = yield* Scope.make()
      const connection = yield* Scope.provide(sql.reserve, held)
      yield* connection.executeRaw("BEGIN", [])
      yield* connection.executeRaw("SELECT 1 FROM tenant_usage WHERE tenant = 'mytenant' FOR UPDATE", [])
      const waiting = yield* Effect.forkChild(
        Effect.all(
          Array.from({ length: 12 }, (_, n) => store("mytenant", `${n}.txt`)),
          { concurrency: 12 }
        )
      )
      yield* Effect.promise(() =>
        eventually("transactions that wait", async () => {
          const [row] = await Effect.runPromise(
            watching<{ n: number }>`select count(*)::integer as n from pg_stat_activity where wait_event_type = 'Lock'`
          )
          return (row?.n ?? 0) >= 8
        })
      )
      const other = yield* store("othertenant", "other.txt")
      const isWaiting = waiting.pollUnsafe() === undefined
      yield* connection.executeRaw("ROLLBACK", [])
      yield* Scope.close(held, Exit.void)
      expect([other, isWaiting]).toEqual([200, true])
      expect(new Set(yield* Fiber.join(waiting))).toEqual(new Set([200]))
    }).pipe(Effect.scoped, Effect.provide(Reactivity.layer))
  )
})

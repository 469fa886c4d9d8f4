import type { Socket } from "node:net"
import { PgClient } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import { Effect, Fiber, Redacted } from "effect"
import { Reactivity } from "effect/reactivity"
import { gateway, raw, TestGateway } from "../support/gateway.ts"
import { eventually } from "../support/process.ts"
import { openSocket } from "../support/socket.ts"

const kibibyte = 1024
const flowlines = 1000

/** Flowlines that together exceed the buffers of a connection. They compress to almost nothing. */
const fill = (sql: PgClient.PgClient, tenant: string, count: number) => sql`
  with made as (
    insert into flowlines (tenant, id, version, saved)
    select ${tenant}, 'large-' || n, 1, true from generate_series(1, ${count}::integer) as n returning id
  )
  insert into flowline_versions (tenant, id, version, dag, platform_id, saved_at)
  select ${tenant}, id, 1, '{"name":"' || repeat('x', ${16 * kibibyte}) || '"}', 'p', now() from made`

/** Sends a request and reads no more than the buffers hold. */
const stalled = (port: number, path: string): Promise<Socket> =>
  openSocket(port).then(({ socket, write }) => {
    socket.pause()
    write(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`)
    return socket
  })

const readers = 14

layer(gateway(), { excludeTestServices: true })("clients that do not read", (it) => {
  it.effect("hold no connection to the database, and hold up nobody", () =>
    Effect.gen(function* () {
      const { url, settings } = yield* TestGateway
      const sql = yield* PgClient.makeClient({ url: Redacted.make(settings.databaseUrl ?? "") })
      yield* fill(sql, "mytenant", flowlines)
      const port = Number(new URL(url).port)
      const sockets = yield* Effect.promise(() =>
        Promise.all(Array.from({ length: readers }, () => stalled(port, "/v1/mytenant/flowline")))
      )
      yield* Effect.addFinalizer(() => Effect.sync(() => sockets.map((socket) => socket.destroy())))
      const run = Effect.runPromiseWith(yield* Effect.context<never>())
      const busy = sql<{ n: number }>`
        select count(*)::integer as n from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid() and state not in ('idle')
          and backend_type = 'client backend'`
      // Each has got something, and none gets more.
      let before = -1
      yield* Effect.promise(() =>
        eventually("all readers are stuck", async () => {
          const received = sockets.reduce((sum, { bytesRead }) => sum + bytesRead, 0)
          const same = received === before && sockets.every(({ bytesRead }) => bytesRead > 0)
          before = received
          await new Promise((resolve) => setTimeout(resolve, 200))
          return same
        })
      )
      const others = yield* Effect.all(
        ["/v1/mytenant/flowline/executions", "/v1/mytenant/archives", "/v1/mytenant/resources/list"].map((path) =>
          Effect.map(raw(path), ({ status }) => status)
        )
      )
      assert.deepStrictEqual(others, [200, 200, 200])
      yield* Effect.promise(() => eventually("no statement is under way", async () => (await run(busy))[0]?.n === 0))
    }).pipe(Effect.scoped, Effect.provide(Reactivity.layer))
  )

  it.effect("are seen by readiness and metrics when they take all connections", () =>
    Effect.gen(function* () {
      const { settings } = yield* TestGateway
      const sql = yield* PgClient.makeClient({ url: Redacted.make(settings.databaseUrl ?? "") })
      const run = Effect.runPromiseWith(yield* Effect.context<TestGateway>())
      const lists = yield* Effect.forkScoped(
        Effect.all(
          // Each another page: equal requests would share a read.
          Array.from({ length: readers }, (_, at) => Effect.forever(raw(`/v1/mytenant/archives?limit=${at + 1}`))),
          { concurrency: "unbounded" }
        )
      )
      const ready = Effect.flatMap(raw("/health/ready"), (answer) => Effect.promise(() => answer.text()))
      yield* sql.withTransaction(
        Effect.gen(function* () {
          yield* sql`lock table archives in access exclusive mode`
          yield* Effect.promise(() =>
            eventually("readiness sees it", async () => {
              const text = await run(ready)
              return text.includes('"connections":"down"') && text.includes('"metadata":"up"')
            })
          )
          const metrics = yield* Effect.flatMap(raw("/metrics"), (answer) => Effect.promise(() => answer.text()))
          assert.match(metrics, /flow_database_connections_used\{pool="lists"\} 12\n/)
          assert.match(metrics, /flow_database_connections_awaited\{pool="lists"\} [1-9]/)
          // What the gateway reads for itself does not wait: the grok patterns of a tenant, for one.
          const body = new FormData()
          body.set("input", "189 x")
          body.set("pattern", "%{NUMBER:n}")
          const tested = yield* raw("/v1/flower/grok", { method: "POST", body })
          assert.strictEqual(tested.status, 200)
        })
      )
      yield* Fiber.interrupt(lists)
      yield* Effect.promise(() =>
        eventually("they are ready again", async () => (await run(ready)).includes('"connections":"up"'))
      )
    }).pipe(Effect.scoped, Effect.provide(Reactivity.layer))
  )

  it.effect("and whoever reads gets the whole list", () =>
    Effect.gen(function* () {
      const answer = yield* raw("/v1/mytenant/flowline")
      const list = yield* Effect.promise(() => answer.json() as Promise<ReadonlyArray<{ readonly id: string }>>)
      assert.deepStrictEqual(
        list.map(({ id }) => id),
        Array.from({ length: flowlines }, (_, at) => `large-${at + 1}`)
      )
    })
  )
})

import type { Socket } from "node:net"
import { PgClient } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { Reactivity } from "effect/reactivity"
import { SqlClient } from "effect/sql"
import { listBytes } from "../../src/services/http/JsonText.ts"
import { configuration } from "../support/conf.ts"
import { gateway, raw, TestGateway } from "../support/gateway.ts"
import { eventually } from "../support/process.ts"
import { openSocket } from "../support/socket.ts"
import { addVersion } from "../support/versions.ts"

const mebibyte = 1024 * 1024
const flowlines = 700
const lines = 120

const database = Effect.flatMap(TestGateway, ({ settings }) =>
  PgClient.makeClient({ url: Redacted.make(settings.databaseUrl ?? "") })
)

/** Entries and lines of which few fill a page. */
const fill = Effect.gen(function* () {
  const sql = yield* database
  yield* sql`
    with made as (
      insert into flowlines (tenant, id, version, saved)
      select 'mytenant', 'large-' || n, 1, true from generate_series(1, ${flowlines}::integer) as n returning id
    )
    insert into flowline_versions (tenant, id, version, dag, platform_id, saved_at)
    select 'mytenant', id, 1, '{"name":"' || repeat('x', 16384) || '"}', 'p', now() from made`
  yield* Effect.provideService(addVersion("mytenant", "e"), SqlClient.SqlClient, sql)
  yield* sql`
    insert into executions (tenant, id, flowline_id, version, runtime, state, lines)
    values ('mytenant', 'e-1', 'e', 1, 'stream', 'SUCCEEDED', ${lines}::bigint)`
  yield* sql`
    insert into execution_output (tenant, execution_id, seq, at, component, text)
    select 'mytenant', 'e-1', n, now(), 'show', repeat('y', 65536) from generate_series(1, ${lines}::integer) as n`
})

const heldBytes = Effect.map(
  Effect.flatMap(raw("/metrics"), (answer) => Effect.promise(() => answer.text())),
  (text) => Number(/^flow_request_memory_bytes\S* (\d+)$/m.exec(text)?.[1])
)

/** Requests whose answers nobody reads. */
const stalled = (count: number, path: string, accept = "application/json") =>
  Effect.flatMap(TestGateway, ({ url }) =>
    Effect.acquireRelease(
      Effect.promise(() =>
        Promise.all(
          Array.from({ length: count }, async (): Promise<Socket> => {
            const { socket, write } = await openSocket(Number(new URL(url).port))
            socket.pause()
            write(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: ${accept}\r\n\r\n`)
            return socket
          })
        )
      ),
      (sockets) => Effect.sync(() => sockets.map((socket) => socket.destroy()))
    )
  )

const waitFor = <R>(what: string, value: Effect.Effect<number, never, R>, is: (value: number) => boolean) =>
  Effect.flatMap(Effect.context<R>(), (context) =>
    Effect.promise(() => eventually(what, async () => is(await Effect.runPromiseWith(context)(value))))
  )

const limited = Layer.unwrap(
  Effect.gen(function* () {
    const { root } = yield* configuration
    return gateway({ conf: root, requestMemory: { all: 16 * mebibyte, each: 8 * mebibyte } })
  })
)

layer(limited, { excludeTestServices: true })("the memory of requests", (it) => {
  it.effect("is limited for each tenant: more are refused until answers have been read", () =>
    Effect.gen(function* () {
      yield* fill
      const sockets = yield* stalled(2, "/v1/mytenant/flowline")
      yield* waitFor("both lists hold their share", heldBytes, (bytes) => bytes === 2 * listBytes)
      const [refused, page, other] = yield* Effect.all(
        ["/v1/mytenant/flowline", "/v1/mytenant/flowline?limit=5", "/v1/othertenant/flowline"].map((path) => raw(path)),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(
        [refused, page, other].map((answer) => [answer?.status, answer?.headers.get("retry-after")]),
        [
          [503, "1"],
          [503, "1"],
          [200, null]
        ]
      )
      const problem = yield* Effect.promise(() => refused!.json())
      assert.containSubset(problem, { type: "/problems/unavailable", instance: "/v1/mytenant/flowline" })
      for (const socket of sockets) socket.destroy()
      yield* waitFor("all is given back", heldBytes, (bytes) => bytes === 0)
      assert.strictEqual((yield* raw("/v1/mytenant/flowline?limit=5")).status, 200)
    }).pipe(Effect.scoped, Effect.provide(Reactivity.layer))
  )

  it.effect("is what a page may take, which ends early and has a cursor", () =>
    Effect.gen(function* () {
      const seen: Array<string> = []
      let pages = 0
      let next: string | undefined = "/v1/mytenant/flowline?limit=600"
      while (next !== undefined) {
        const answer: Response = yield* raw(next, { headers: { "accept-encoding": "identity" } })
        const text = yield* Effect.promise(() => answer.text())
        assert.isBelow(text.length, 4 * mebibyte + 1024)
        assert.strictEqual(answer.headers.get("content-length"), String(text.length))
        const page = JSON.parse(text) as ReadonlyArray<{ readonly id: string }>
        seen.push(...page.map(({ id }) => id))
        pages++
        next = /<([^>]+)>; rel="next"/.exec(answer.headers.get("link") ?? "")?.[1]
      }
      assert.deepStrictEqual(
        seen,
        Array.from({ length: flowlines }, (_, at) => `large-${at + 1}`)
      )
      assert.strictEqual(pages, 3)
    })
  )

  it.effect("is little for event streams that nobody reads, and none is cut", () =>
    Effect.gen(function* () {
      const path = "/v1/mytenant/flowline/executions/e-1/output"
      const sockets = yield* stalled(10, path, "text/event-stream")
      let before = -1
      yield* waitFor(
        "all are stuck",
        Effect.map(heldBytes, (bytes) => {
          const received = sockets.reduce((sum, { bytesRead }) => sum + bytesRead, bytes)
          const isSame = received === before && sockets.every(({ bytesRead }) => bytesRead >= 65_536)
          before = received
          return isSame ? bytes : -1
        }).pipe(Effect.delay("200 millis")),
        (bytes) => bytes >= 0
      )
      // A line has 64 KiB, and a stream holds one or two.
      assert.isAtMost(yield* heldBytes, 10 * 0.5 * mebibyte)
      const answer = yield* raw(path, { headers: { accept: "text/event-stream" } })
      const text = yield* Effect.promise(() => answer.text())
      assert.deepStrictEqual(
        [...text.matchAll(/^id: (\d+)$/gm)].map(([, seq]) => Number(seq)),
        Array.from({ length: lines }, (_, at) => at + 1)
      )
      assert.match(text, /event: end\n/)
      const whole = yield* raw(path)
      const document = (yield* Effect.promise(() => whole.json())) as { readonly lines: ReadonlyArray<unknown> }
      assert.lengthOf(document.lines, lines)
    }).pipe(Effect.scoped)
  )
})

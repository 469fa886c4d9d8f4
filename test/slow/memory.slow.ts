import { randomBytes } from "node:crypto"
import { readFileSync, writeFileSync } from "node:fs"
import { PgClient } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer, Redacted } from "effect"
import { Reactivity } from "effect/reactivity"
import { SqlClient } from "effect/sql"
import * as PostgresSearch from "../../src/drivers/search/PostgresSearch.ts"
import { Search } from "../../src/drivers/search/Search.ts"
import { freshDatabase } from "../support/postgres.ts"
import { eventually } from "../support/process.ts"
import { type Running, residentMib, site } from "../support/process-gateway.ts"
import { openSocket } from "../support/socket.ts"
import { addVersion } from "../support/versions.ts"

const mebibyte = 1024 * 1024

class Gateway extends Context.Service<Gateway, { readonly running: Running; readonly database: Redacted.Redacted }>()(
  "test/slow/Gateway"
) {
  static readonly layer = Layer.effect(
    Gateway,
    Effect.gen(function* () {
      const database = yield* freshDatabase
      const here = yield* site({ variables: { FLOW_DATABASE_URL: Redacted.value(database) } })
      return { running: yield* Effect.promise(() => here.start()), database }
    })
  )
}

/** The highest resident MiB since the last call. */
const peakMib = (pid: number): number => {
  const peak = Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024
  writeFileSync(`/proc/${pid}/clear_refs`, "5")
  return peak
}

/** The growth of the gateway's memory at its peak during some work, in MiB. */
const growth = async (what: string, pid: number, work: () => Promise<void>): Promise<number> => {
  peakMib(pid)
  const before = residentMib(pid)
  await work()
  const grown = peakMib(pid) - before
  console.log(`${what}: ${Math.round(before)} MiB before, ${Math.round(grown)} MiB more at the peak`)
  return grown
}

layer(Gateway.layer, { excludeTestServices: true })("the memory of a gateway", (it) => {
  it.effect("grows little by searches for large documents", () =>
    Effect.gen(function* () {
      const { running, database } = yield* Gateway
      yield* Effect.gen(function* () {
        const search = yield* Search
        const sql = yield* PgClient.makeClient({ url: database })
        yield* search.write("mytenant", "mytenant-large", [{ id: "first", source: { text: "x".repeat(3_500_000) } }])
        const [row] = yield* sql<{ part: number }>`select part from search_parts`
        const table = sql(`search_part_${row!.part}`)
        yield* sql`insert into ${table} select 'd' || n, ts, doc from ${table}, generate_series(1, 149) as n`
      }).pipe(
        Effect.provide(
          PostgresSearch.layer.pipe(
            Layer.provide(Layer.succeed(PostgresSearch.SearchConfig, { url: database, connections: 2 }))
          )
        ),
        Effect.scoped,
        Effect.provide(Reactivity.layer)
      )
      const page = async () => {
        const answer = await fetch(`${running.url}/v1/mytenant/search`, {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify({ index: "mytenant-large", limit: 1000 })
        })
        const { documents } = (await answer.json()) as { readonly documents: ReadonlyArray<unknown> }
        assert.strictEqual(documents.length, 1)
      }
      const grown = yield* Effect.promise(() =>
        growth("12 searches", running.pid, async () => {
          for (let n = 0; n < 4; n++) await Promise.all([page(), page(), page()])
        })
      )
      assert.isBelow(grown, 500)
    })
  )

  it.effect("grows little by event streams that nobody reads", () =>
    Effect.gen(function* () {
      const { running, database } = yield* Gateway
      const sql = yield* PgClient.makeClient({ url: database })
      yield* Effect.provideService(addVersion("mytenant", "e"), SqlClient.SqlClient, sql)
      yield* sql`
        insert into executions (tenant, id, flowline_id, version, runtime, state, lines)
        values ('mytenant', 'e-1', 'e', 1, 'stream', 'SUCCEEDED', 1000)`
      yield* sql`
        insert into execution_output (tenant, execution_id, seq, at, component, text)
        select 'mytenant', 'e-1', n, now(), 'show', repeat('y', 65536) from generate_series(1, 1000) as n`
      const grown = yield* Effect.promise(() =>
        growth("10 event streams", running.pid, async () => {
          const sockets = await Promise.all(
            Array.from({ length: 10 }, async () => {
              const { socket, write } = await openSocket(running.port)
              socket.pause()
              const path = "/v1/mytenant/flowline/executions/e-1/output"
              write(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: text/event-stream\r\n\r\n`)
              return socket
            })
          )
          let before = 0
          await eventually("all are stuck", async () => {
            const received = sockets.reduce((sum, { bytesRead }) => sum + bytesRead, 0)
            const isSame = received > 0 && received === before
            before = received
            await new Promise((resolve) => setTimeout(resolve, 1000))
            return isSame
          })
          for (const socket of sockets) socket.destroy()
        })
      )
      assert.isBelow(grown, 200)
    }).pipe(Effect.scoped, Effect.provide(Reactivity.layer))
  )

  it.effect("grows little by many uploads, and is given back", () =>
    Effect.gen(function* () {
      const { running } = yield* Gateway
      const bytes = randomBytes(8 * mebibyte)
      yield* Effect.promise(async () => {
        const grown = await growth("64 uploads", running.pid, async () => {
          const uploads = Array.from({ length: 64 }, async (_, n) => {
            const form = new FormData()
            form.set("path", `file-${n}`)
            form.set("file", new Blob([bytes, String(n)]), "file")
            const answer = await fetch(`${running.url}/v1/mytenant/registry`, { method: "POST", body: form })
            return answer.status
          })
          const outcomes = await Promise.allSettled(uploads)
          const log = running
            .stderr()
            .split("\n")
            .filter((line) => line.includes("registry") && !line.includes(":200,"))
          assert.deepStrictEqual([outcomes.filter(({ status }) => status === "rejected").length, log], [0, []])
        })
        assert.isBelow(grown, 450)
        let seen = 0
        await eventually("the memory is given back", async () => {
          seen = residentMib(running.pid)
          await new Promise((resolve) => setTimeout(resolve, 1000))
          // Some 510 MiB at the peak, and twice that if the uploads stayed in memory. Of freed memory, the allocator
          // keeps more on a busy machine: 240 to 410 MiB.
          return seen < 450
        }).finally(() => console.log(`idle: ${Math.round(seen)} MiB`))
      })
    })
  )
})

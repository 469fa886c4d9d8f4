import { type AddressInfo, connect, createServer, type Socket } from "node:net"
import { createSecureContext, TLSSocket } from "node:tls"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { program } from "../../src/drivers/Programs.ts"
import { first } from "../support/tls.ts"
import { ran, reader, Shop, shop, shown, specOf } from "./shop.ts"
import { ended, engine, flowline, follow, node, places, settings } from "./support.ts"

/** A PostgreSQL with TLS whose answers stop after some bytes, while its connections stay. */
const fallingSilent = (to: URL, bytes: number) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const open = new Set<Socket>()
      const secureContext = createSecureContext({ cert: first.cert, key: first.key })
      let left = bytes
      const server = createServer((near) => {
        open.add(near)
        near.on("error", () => {})
        near.once("data", () => {
          if (left <= 0) return
          near.write("S")
          const inner = new TLSSocket(near, { isServer: true, secureContext })
          const far = connect(Number(to.port), to.hostname)
          open.add(far)
          for (const socket of [inner, far]) socket.on("error", () => {})
          inner.on("close", () => far.destroy())
          inner.pipe(far)
          far.on("data", (chunk) => {
            left -= chunk.length
            if (left > 0) inner.write(chunk)
          })
        })
      })
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
      return { server, open, port: (server.address() as AddressInfo).port }
    }),
    ({ server, open }) =>
      Effect.sync(() => {
        server.close()
        for (const socket of open) socket.destroy()
      })
  )

layer(shop)("the server of an sql_input", (it) => {
  it.effect("has large rows behind small ones, and the run needs no more memory for them", () =>
    Effect.gen(function* () {
      const query = `SELECT repeat('x', 100) AS text FROM generate_series(1, 5200)
        UNION ALL SELECT repeat('y', 1000000) FROM generate_series(1, 500)`
      const less = { ...node("mutate", { operations: [{ remove: ["text"] }] }, "in"), component: "less" }
      const { lines, end } = yield* ran(
        flowline([reader({ query }), less, node("show", { format: "json", limit: 10_000 }, "less")], {
          memory_mib: 128
        })
      )
      assert.deepStrictEqual([end.error, lines.length], [undefined, 5700])
    })
  )

  it.effect("falls silent in the middle of an answer inside TLS, and the run does not wait for ever", () =>
    Effect.gen(function* () {
      const { url } = yield* Shop
      const { root } = yield* places
      const way = yield* fallingSilent(new URL(url), 300_000)
      const through = new URL(url)
      through.port = String(way.port)
      through.searchParams.set("sslmode", "require")
      const here = settings(root, { entry: program("run"), outbound: [`127.0.0.1:${way.port}`] })
      const query = "SELECT repeat('x', 1000) AS text FROM generate_series(1, 1000)"
      const dag = flowline([reader({ query, retry_seconds: 0.2 }), shown])
      const messages = yield* follow(specOf(dag, through.href)).pipe(Effect.provide(engine(here)))
      assert.match(ended(messages).error ?? "", /^in: 127.0.0.1:\d+ does not answer: The server has not answered for/)
    })
  )
})

import type { Server } from "node:http"
import { type AddressInfo, connect, type Socket } from "node:net"
import { describe, expect, it, layer } from "@effect/vitest"
import { Effect } from "effect"
import { ConnectionLimit, networkOf } from "../../src/layers/http/server/ConnectionLimit.ts"
import { nodeServer } from "../../src/layers/http/server/NodeServer.ts"
import { memoryGateway, raw, TestGateway } from "../support/gateway.ts"
import { eventually } from "../support/process.ts"
import { parseMetrics } from "../support/prometheus.ts"
import { openSocket, parseAnswer, type RawSocket } from "../support/socket.ts"

/** A connection from this address of the machine. */
const from = (localAddress: string, port: number): Promise<RawSocket> =>
  new Promise((done, fail) => {
    const chunks: Array<Buffer> = []
    let over = false
    const socket: Socket = connect({ host: "127.0.0.1", port, localAddress })
    const closed = new Promise<void>((end) =>
      socket.once("close", () => {
        over = true
        end()
      })
    )
    socket.once("error", fail)
    socket.on("data", (chunk: Buffer) => chunks.push(chunk))
    socket.once("connect", () => {
      socket.off("error", fail).on("error", () => {})
      const write = (bytes: string | Uint8Array) => void socket.write(bytes)
      done({ socket, write, received: () => Buffer.concat(chunks), closed, isClosed: () => over })
    })
  })

const request = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"

const serverWith = Effect.fnUntraced(function* (limit: ConnectionLimit) {
  const paths: Array<string> = []
  const server: Server = yield* Effect.acquireRelease(
    Effect.sync(() => nodeServer(() => {}, { limit })),
    (one) => Effect.sync(() => one.close())
  )
  server.on("request", ({ url }, response) => {
    paths.push(url ?? "")
    response.end("ok")
  })
  yield* Effect.promise(() => new Promise<void>((done) => server.listen(0, "127.0.0.1", done)))
  return { server, paths, port: (server.address() as AddressInfo).port }
})

const isAnswered = async (connection: RawSocket) => {
  connection.write(request)
  await eventually("it is answered", () => connection.received().toString().endsWith("ok"))
}

describe("the connections of one address", () => {
  it.live("are limited: those beyond get 429, nothing of them is read, and others are served", () =>
    Effect.gen(function* () {
      const limit = new ConnectionLimit({ all: 100, each: 3, isExempt: (address) => address === "127.0.0.9" })
      const { port, paths } = yield* serverWith(limit)
      yield* Effect.promise(async () => {
        const first = await Promise.all([1, 2, 3].map(() => from("127.0.0.1", port)))
        await Promise.all(first.map(isAnswered))
        const beyond = await Promise.all(Array.from({ length: 20 }, () => from("127.0.0.1", port)))
        for (const { write } of beyond) write("GET /beyond HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n")
        await Promise.all(beyond.map(({ closed }) => closed))
        for (const { received } of beyond) {
          const answer = parseAnswer(received())
          expect([answer.status, answer.headers.get("content-type")]).toEqual([429, "application/problem+json"])
          expect(answer.headers.get("x-request-id")).toMatch(/^[\w-]+$/)
          expect(JSON.parse(answer.body.toString())).toMatchObject({
            ...{ type: "/problems/limit-exceeded", limit: "addressConnections", value: 3, used: 4 },
            ...{ key: "address:127.0.0.1", detail: expect.stringContaining("127.0.0.1 is 3") }
          })
        }
        expect(paths).not.toContain("/beyond")
        expect(limit.refused).toEqual({ address: 20, all: 0 })
        // Other addresses have separate limits, and a shared address has no limit.
        for (const address of ["127.0.0.2", "127.0.0.3"]) {
          const other = await from(address, port)
          await isAnswered(other)
          other.socket.destroy()
        }
        const shared = await Promise.all(Array.from({ length: 10 }, () => from("127.0.0.9", port)))
        await Promise.all(shared.map(isAnswered))
        // Who closes one may open one.
        first[0]!.socket.destroy()
        await eventually("there is room again", async () => {
          const next = await from("127.0.0.1", port)
          next.write(request)
          await eventually("it is answered", () => next.received().length > 0)
          return parseAnswer(next.received()).status === 200
        })
        for (const { socket } of [...first, ...shared]) socket.destroy()
      })
    }).pipe(Effect.scoped)
  )

  it.live("are counted until they close, however they do, and refused ones hold no place", () =>
    Effect.gen(function* () {
      const limit = new ConnectionLimit({ all: 100, each: 5, isExempt: () => false })
      const { port } = yield* serverWith(limit)
      yield* Effect.promise(async () => {
        for (let round = 0; round < 20; round++) {
          const all = await Promise.all(Array.from({ length: 8 }, () => from("127.0.0.1", port)))
          for (const [at, { socket, write }] of all.entries()) {
            if (at % 2 === 0) write(request)
            if (at % 3 === 0) socket.resetAndDestroy()
            else socket.destroy()
          }
          await eventually("all are closed", () => limit.open === 0)
        }
        const last = await Promise.all(Array.from({ length: 5 }, () => from("127.0.0.1", port)))
        await Promise.all(last.map(isAnswered))
        for (const { socket } of last) socket.destroy()
      })
    }).pipe(Effect.scoped)
  )

  it.live("of all addresses are limited, too", () =>
    Effect.gen(function* () {
      const limit = new ConnectionLimit({ all: 4, each: 100, isExempt: () => true })
      const { port } = yield* serverWith(limit)
      yield* Effect.promise(async () => {
        const first = await Promise.all([1, 2, 3, 4].map(() => openSocket(port)))
        await Promise.all(first.map(isAnswered))
        const beyond = await openSocket(port)
        await beyond.closed
        expect(limit.refused).toEqual({ address: 0, all: 1 })
        for (const { socket } of first) socket.destroy()
        await eventually("all are closed", () => limit.open === 0)
        const next = await openSocket(port)
        await isAnswered(next)
        next.socket.destroy()
      })
    }).pipe(Effect.scoped)
  )

  it("are those of a network of 64 bits where the address is an IPv6 one", () => {
    const networks = new Set(
      ["2001:db8::1", "2001:db8:0:0:ffff::", "2001:DB8:0:0:1:2:3:4", "2001:db8::%eth0"].map(networkOf)
    )
    expect([...networks]).toEqual(["2001:db8:0:0"])
    expect(["2001:db8:0:1::1", "2001:db8:1:2:3:4:5:6", "::1", "::", "1::", "192.0.2.1", ""].map(networkOf)).toEqual([
      "2001:db8:0:1",
      "2001:db8:1:2",
      "0:0:0:0",
      "0:0:0:0",
      "1:0:0:0",
      "192.0.2.1",
      ""
    ])
    expect(networkOf("::ffff:10.0.0.7")).toBe("10.0.0.7")
  })
})

layer(memoryGateway({ addressConnections: 2 }), { excludeTestServices: true })("a gateway", (it) => {
  it.effect("does not count the connections of its own machine, but shows them", () =>
    Effect.gen(function* () {
      const { url } = yield* TestGateway
      const port = Number(new URL(url).port)
      const all = yield* Effect.promise(async () => {
        const opened = await Promise.all(Array.from({ length: 10 }, () => openSocket(port)))
        for (const { write } of opened) write("GET /v1/platform/tenant HTTP/1.1\r\nHost: a\r\n\r\n")
        await eventually("all are answered", () =>
          opened.every(({ received }) => parseAnswer(received()).status === 200)
        )
        return opened
      })
      const families = parseMetrics(
        yield* Effect.flatMap(raw("/metrics"), (answer) => Effect.promise(() => answer.text()))
      )
      const valueOf = (name: string) =>
        families.find((family) => family.name === name)?.samples.map(({ value }) => value)
      expect(valueOf("flow_http_connections")?.[0]).toBeGreaterThanOrEqual(11)
      expect(valueOf("flow_http_connections_refused_total")).toEqual([0, 0])
      for (const { socket } of all) socket.destroy()
    })
  )
})

import { request as ask, createServer as createHttp, type Server } from "node:http"
import { type AddressInfo, createServer } from "node:net"
import { networkInterfaces } from "node:os"
import { setImmediate } from "node:timers/promises"
import { describe, expect, it, layer } from "@effect/vitest"
import { Effect, Logger } from "effect"
import { holdOtherLoopback } from "../../src/layers/http/server/OtherLoopback.ts"
import { memoryGateway, TestGateway } from "../support/gateway.ts"

const hasIpv6 = Object.values(networkInterfaces()).some((all) => all?.some(({ address }) => address === "::1"))

/** Listens, or says why it cannot. */
const listen = (server: ReturnType<typeof createServer>, host: string, port = 0) =>
  new Promise<string | number>((done) => {
    server.once("error", (error: NodeJS.ErrnoException) => done(error.code ?? ""))
    server.listen({ host, port, ipv6Only: host.includes(":") }, () => done((server.address() as AddressInfo).port))
  })

const taken = Effect.fnUntraced(function* (host: string, port = 0) {
  const server = yield* Effect.acquireRelease(
    Effect.sync(() => createServer()),
    (one) => Effect.sync(() => void one.close())
  )
  return yield* Effect.promise(() => listen(server, host, port))
})

const serverAt = Effect.fnUntraced(function* (host: string) {
  const server = yield* Effect.acquireRelease(
    Effect.sync(() => createHttp((_, response) => response.end("hello"))),
    (one) => Effect.sync(() => void one.close())
  )
  return { server, port: Number(yield* Effect.promise(() => listen(server, host))) }
})

/** A server at a port that no other program has at the other address: many have one at 127.0.0.1. */
const serverAlone = Effect.fnUntraced(function* (host: string, other: string) {
  for (;;) {
    const found = yield* serverAt(host)
    const isFree = yield* Effect.scoped(Effect.map(taken(other, found.port), (port) => port === found.port))
    if (isFree) return found
  }
})

const text = (url: string) => Effect.promise(async () => (await fetch(url)).text())

describe.skipIf(!hasIpv6)("the other address of localhost", () => {
  layer(memoryGateway(), { excludeTestServices: true })((it) => {
    it.effect("is the gateway's: it answers there, and nobody else can listen on its port", () =>
      Effect.gen(function* () {
        const { url } = yield* TestGateway
        const port = Number(new URL(url).port)
        const [here, there] = yield* Effect.all([text(`${url}/health/live`), text(`http://[::1]:${port}/health/live`)])
        expect(there).toBe(here)
        for (const host of ["::1", "::", "127.0.0.1"]) expect(yield* taken(host, port)).toBe("EADDRINUSE")
      }).pipe(Effect.scoped)
    )
  })

  it.effect.each([
    ["127.0.0.1", "127.0.0.1", "::1"],
    ["::1", "localhost", "127.0.0.1"],
    ["0.0.0.0", "0.0.0.0", "::1"]
  ] as const)("is answered by a server at %s (%s): %s", ([address, host, other]) =>
    Effect.gen(function* () {
      const { server, port } = yield* serverAlone(address, other)
      yield* holdOtherLoopback(server, host)
      expect(yield* text(`http://${other.includes(":") ? `[${other}]` : other}:${port}`)).toBe("hello")
    }).pipe(Effect.scoped)
  )

  it.effect.each(["::1", "127.0.0.2"])("is left alone where a server is to be at %s", (host) =>
    Effect.gen(function* () {
      const other = host === "::1" ? "127.0.0.1" : "::1"
      const { server, port } = yield* serverAlone(host, other)
      yield* holdOtherLoopback(server, host)
      expect(yield* taken(other, port)).toBe(port)
    }).pipe(Effect.scoped)
  )

  it.effect("may be taken, which the log says", () => {
    const said: Array<unknown> = []
    const logger = Logger.make<unknown, void>(({ message }) => void said.push(message))
    return Effect.gen(function* () {
      const { server, port } = yield* serverAlone("127.0.0.1", "::1")
      expect(yield* taken("::1", port)).toBe(port)
      yield* holdOtherLoopback(server, "127.0.0.1")
      expect(yield* text(`http://127.0.0.1:${port}`)).toBe("hello")
      expect(said.flat()).toEqual([expect.stringContaining(`Another program listens at [::1]:${port}: `)])
      yield* Effect.promise(() => new Promise<void>((done) => server.close(() => done())))
    }).pipe(Effect.provide(Logger.layer([logger])), Effect.scoped)
  })

  it.effect("is closed with the server, which waits for its answers", () =>
    Effect.gen(function* () {
      const { server, port } = yield* serverAlone("127.0.0.1", "::1")
      yield* holdOtherLoopback(server, "127.0.0.1")
      const answered = yield* Effect.promise(() => answeredWhileClosing(server, port))
      expect(answered).toEqual(["answered", "closed"])
      expect(yield* taken("::1", port)).toBe(port)
    }).pipe(Effect.scoped)
  )
})

/** What a server does, in order, that is closed while it has a request at ::1 to answer. */
const answeredWhileClosing = async (server: Server, port: number): Promise<ReadonlyArray<string>> => {
  const happened: Array<string> = []
  const closed = Promise.withResolvers<void>()
  server.removeAllListeners("request").on("request", async (_, response) => {
    server.close(() => {
      happened.push("closed")
      closed.resolve()
    })
    // Enough for a server that does not wait to be closed.
    for (let turn = 0; turn < 10; turn++) await setImmediate()
    happened.push("answered")
    response.end("late")
  })
  ask({ host: "::1", port, agent: false }, (response) => response.resume()).end()
  await closed.promise
  return happened
}

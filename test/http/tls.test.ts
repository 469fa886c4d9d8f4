import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { timeouts } from "../../src/layers/http/server/NodeServer.ts"
import { SendRate } from "../../src/layers/http/server/SendRate.ts"
import { eventually } from "../support/process.ts"
import { openSocket } from "../support/socket.ts"
import { secureGet, secureSocket } from "../support/tls.ts"
import { secureServer } from "./secureServer.ts"

describe("a server with TLS", () => {
  it.live("says so to browsers, and closes what is no TLS, what renegotiates, and old versions", () =>
    Effect.gen(function* () {
      const { server, port } = yield* secureServer()
      server.on("request", (_, response) => response.end("ok"))
      yield* Effect.promise(async () => {
        const { headers } = await secureGet(port, "/")
        expect(headers["strict-transport-security"]).toBe("max-age=31536000")
        const plain = await openSocket(port)
        plain.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        await plain.closed
        expect(plain.received().toString("latin1")).not.toContain("ok")
        const garbage = await openSocket(port)
        garbage.write(Buffer.alloc(64 * 1024, 0x16))
        await garbage.closed
        const socket = await secureSocket(port)
        expect([socket.alpnProtocol, ["TLSv1.2", "TLSv1.3"].includes(socket.getProtocol() ?? "")]).toEqual([
          "http/1.1",
          true
        ])
        socket.destroy()
        const old = { maxVersion: "TLSv1.1", minVersion: "TLSv1", ciphers: "DEFAULT@SECLEVEL=0" } as const
        await expect(secureSocket(port, old)).rejects.toMatchObject({ code: expect.stringMatching(/PROTOCOL_VERSION/) })
        const before = await secureSocket(port, { maxVersion: "TLSv1.2" })
        const refusal = await new Promise<unknown>((done) => {
          before.on("error", done)
          before.renegotiate({}, done)
        })
        expect(refusal).toMatchObject({ code: expect.stringMatching(/NO_RENEGOTIATION/) })
        before.destroy()
        expect((await secureGet(port, "/")).text).toBe("ok")
      })
    }).pipe(Effect.scoped)
  )

  it.live("closes handshakes and heads that do not come to their end, and idle connections", () =>
    Effect.gen(function* () {
      const limits = { headers: 5000, keepAlive: 300, silence: 600, uploadRate: 1024 }
      const { server, port, exchanges } = yield* secureServer(limits)
      server.on("request", (_, response) => response.end("ok"))
      yield* Effect.promise(async () => {
        const stalled = await Promise.all(Array.from({ length: 50 }, () => openSocket(port)))
        // The beginning of a ClientHello that is never completed.
        for (const { write } of stalled.slice(25)) write(Buffer.from([0x16, 3, 1, 2, 0, 1, 0]))
        const head = await secureSocket(port)
        let answer = ""
        head.on("data", (chunk: Buffer) => (answer += chunk.toString()))
        head.write("GET / HTTP/1.1\r\nHost: a\r\nX-Slow: ")
        const trickle = setInterval(() => head.write("x"), 50)
        const idle = await Promise.all(Array.from({ length: 25 }, () => secureSocket(port)))
        // On a busy machine some are closed before all are open.
        const closed = [head, ...idle].map(
          (socket) => new Promise<void>((done) => (socket.closed ? done() : void socket.once("close", () => done())))
        )
        for (const socket of idle) socket.resume()
        await Promise.all([...closed, ...stalled.map((socket) => socket.closed)])
        clearInterval(trickle)
        expect(answer).toMatch(/^HTTP\/1\.1 408 .*"type":"\/problems\/request-timeout"/s)
        expect(exchanges).toContain(408)
        expect((await secureGet(port, "/")).text).toBe("ok")
      })
    }).pipe(Effect.scoped)
  )

  it.live("ends bodies that come too slowly", () =>
    Effect.gen(function* () {
      const { server, port } = yield* secureServer({ ...timeouts, silence: 1000, uploadRate: 100 })
      // Only the rate is looked at here, however busy the machine is.
      server.timeout = 0
      server.on("request", (request, response) => {
        let received = 0
        request.on("data", (chunk: Buffer) => (received += chunk.length))
        request.on("end", () => response.end(String(received)))
        request.on("error", () => {})
      })
      yield* Effect.promise(async () => {
        const [slow, moving] = await Promise.all([secureSocket(port), secureSocket(port)])
        const texts = ["", ""]
        for (const [at, socket] of [slow, moving].entries()) {
          socket.on("data", (chunk: Buffer) => (texts[at] += chunk.toString()))
          socket.write("POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 1000000\r\n\r\n")
        }
        const ends = [slow, moving].map((socket) => new Promise((done) => socket.once("close", done)))
        const trickle = setInterval(() => slow.write("x"), 100)
        let sent = 0
        const flow = setInterval(() => {
          if (sent === 900_000) return
          moving.write("x".repeat(1000))
          sent += 1000
        }, 20)
        await ends[0]
        clearInterval(trickle)
        clearInterval(flow)
        expect(texts[0]).toMatch(/^HTTP\/1\.1 408 /)
        moving.write("x".repeat(1_000_000 - sent))
        await ends[1]
        expect(texts[1]).toMatch(/^HTTP\/1\.1 200 .*1000000/s)
      })
    }).pipe(Effect.scoped)
  )

  it.live("cuts a client that takes nothing, and none that takes enough", () =>
    Effect.gen(function* () {
      const { server, port } = yield* secureServer({ ...timeouts, silence: 0 })
      const rate = new SendRate(1024)
      server.on("secureConnection", (socket) => rate.add(socket))
      const mebibyte = 1024 * 1024
      server.on("request", (_, response) => response.end(Buffer.alloc(96 * mebibyte)))
      yield* Effect.promise(async () => {
        const [stalled, moving] = await Promise.all([secureSocket(port), secureSocket(port)])
        let allowed = mebibyte
        let taken = 0
        moving.on("data", (chunk: Buffer) => {
          taken += chunk.length
          if (taken >= allowed) moving.pause()
        })
        stalled.pause()
        for (const socket of [stalled, moving]) socket.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        await eventually("it has begun", () => taken >= allowed)
        const connections = () => new Promise<number>((done) => server.getConnections((_, count) => done(count)))
        let now = 0
        while ((await connections()) === 2) {
          await rate.look(now)
          now += 30_000
          // The kernel of a reader tells only when a part of its buffer is free again.
          allowed = taken + mebibyte
          moving.resume()
          await eventually("more has come", () => taken >= allowed)
        }
        expect(now).toBeGreaterThanOrEqual(90_000)
        expect(moving.closed).toBe(false)
        for (const socket of [stalled, moving]) socket.destroy()
      })
    }).pipe(Effect.scoped)
  )

  it.live("that closes waits for answers under way, and for no handshake", () =>
    Effect.gen(function* () {
      const { server, port } = yield* secureServer()
      let answer: (() => void) | undefined
      server.on("request", (_, response) => {
        answer = () => void response.end("ok")
      })
      yield* Effect.promise(async () => {
        const [stalled, idle, asking] = [await openSocket(port), await secureSocket(port), secureGet(port, "/")]
        await eventually("it has come", () => answer !== undefined)
        const closed = new Promise((done) => server.close(done))
        await Promise.all([stalled.closed, new Promise((done) => idle.once("close", done).resume())])
        answer?.()
        expect((await asking).text).toBe("ok")
        await closed
      })
    }).pipe(Effect.scoped)
  )
})

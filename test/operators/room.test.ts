import { connect, type Socket } from "node:net"
import { expect, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { FormMemoryLimit } from "../../src/services/operators/Admission.ts"
import { memoryGateway, TestGateway } from "../support/gateway.ts"
import { post } from "./testerServer.ts"

const small = memoryGateway().pipe(Layer.provide(Layer.succeed(FormMemoryLimit, 100_000)))

layer(small, { excludeTestServices: true })("the room for tests", (it) => {
  it.effect("is given to as many as it holds, and again when they are over", () =>
    Effect.gen(function* () {
      const { url } = yield* TestGateway
      const status = (length: number) =>
        Effect.map(post("grok", { input: "a".repeat(length), pattern: "a" }), (answer) => answer.status)
      // The place of the previous test may still be taken when its answer arrives.
      const until = (wanted: number, length: number, between: Effect.Effect<void> = Effect.void) =>
        Effect.andThen(between, status(length)).pipe(Effect.repeat({ until: (had) => had === wanted, times: 200 }))
      for (let round = 0; round < 4; round++) expect(yield* until(200, 60_000)).toBe(200)
      const { text } = yield* post("grok", { input: "a".repeat(110_000), pattern: "a" })
      expect(JSON.parse(text)).toMatchObject({ type: "/problems/unavailable", status: 503 })

      const head = '--b\r\ncontent-disposition: form-data; name="input"\r\n\r\n'
      const begun =
        "POST /v1/flower/grok HTTP/1.1\r\nhost: x\r\ncontent-type: multipart/form-data; boundary=b\r\n" +
        `content-length: 90000\r\n\r\n${head}${"a".repeat(70_000)}`
      const sockets: Array<Socket> = []
      // A test that arrives during another one is refused, so each attempt starts with another one.
      const begin = Effect.sync(() => {
        const socket = connect(Number(new URL(url).port), "127.0.0.1").on("error", () => {})
        socket.write(begun)
        sockets.push(socket)
      })
      expect(yield* until(503, 40_000, Effect.andThen(begin, Effect.sleep(10)))).toBe(503)
      expect(yield* until(200, 100)).toBe(200)
      for (const socket of sockets) socket.destroy()
      expect(yield* until(200, 40_000)).toBe(200)
    })
  )
})

layer(memoryGateway(), { excludeTestServices: true })("forms that do not come to their end", (it) => {
  it.effect("take no places of tests", () =>
    Effect.gen(function* () {
      const { url } = yield* TestGateway
      const connected = (socket: Socket) => new Promise((resolve) => socket.once("connect", resolve))
      const sockets = Array.from({ length: 40 }, () => connect(Number(new URL(url).port), "127.0.0.1"))
      yield* Effect.promise(() => Promise.all(sockets.map(connected)))
      const begun =
        "POST /v1/flower/grok HTTP/1.1\r\nhost: x\r\ncontent-type: multipart/form-data; boundary=b\r\n" +
        'content-length: 90000\r\nexpect: 100-continue\r\n\r\n--b\r\ncontent-disposition: form-data; name="input"\r\n'
      // The server requests the body when it has started the request.
      const asked = sockets.map((socket) => new Promise((resolve) => socket.once("data", resolve)))
      for (const socket of sockets) socket.on("error", () => {}).write(begun)
      yield* Effect.promise(() => Promise.all(asked))
      expect((yield* post("grok", { input: "a", pattern: "a" })).status).toBe(200)
      for (const socket of sockets) socket.destroy()
    })
  )
})

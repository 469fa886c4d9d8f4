import { randomBytes } from "node:crypto"
import { createGunzip } from "node:zlib"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { assert, it } from "@effect/vitest"
import { Deferred, Effect, Layer, Stream } from "effect"
import { HttpServer, HttpServerResponse } from "effect/http"
import { compression } from "../../src/layers/http/answers/Compression.ts"
import { revalidated } from "../../src/layers/http/answers/Revalidation.ts"
import { nodeServer } from "../../src/layers/http/server/NodeServer.ts"
import { eventually } from "../support/process.ts"
import { openSocket } from "../support/socket.ts"

/** A server that answers with a stream of lines. */
const serving = <E>(lines: Stream.Stream<Uint8Array, E>) =>
  Effect.gen(function* () {
    const app = Effect.succeed(HttpServerResponse.stream(lines, { contentType: "application/x-ndjson" }))
    const services = HttpServer.serve(compression(app, revalidated)).pipe(
      Layer.provideMerge(NodeHttpServer.layerServer(() => nodeServer(() => {}), { port: 0, host: "127.0.0.1" }))
    )
    const context = yield* Layer.build(services)
    return yield* Effect.provide(
      HttpServer.addressFormattedWith((address: string) => Effect.succeed(Number(new URL(address).port))),
      context
    )
  })

const request = "GET / HTTP/1.1\r\nHost: a\r\nAccept-Encoding: gzip\r\nConnection: close\r\n\r\n"
const encode = (text: string) => new TextEncoder().encode(text)

it.live("a compressed stream flows: what was sent can be read before there is more", () =>
  Effect.gen(function* () {
    const more = yield* Deferred.make<void>()
    const lines = Stream.concat(
      Stream.make(encode("first\n")),
      Stream.fromEffect(Effect.as(Deferred.await(more), encode("second\n")))
    )
    const port = yield* serving(lines)
    let text = ""
    const socket = yield* Effect.promise(() => openSocket(port))
    const gunzip = createGunzip().on("data", (bytes: Buffer) => {
      text += bytes.toString()
    })
    let used = 0
    const unpack = () => {
      const received = socket.received()
      const from = Math.max(used, received.indexOf("\r\n\r\n") + 4)
      const chunks = received
        .subarray(from)
        .toString("latin1")
        .matchAll(/([0-9a-f]+)\r\n/g)
      const { value } = chunks.next()
      if (received.indexOf("\r\n\r\n") === -1 || value === undefined) return
      const size = Number.parseInt(value[1] ?? "0", 16)
      const start = from + value[0].length
      if (size === 0 || received.length < start + size + 2) return
      gunzip.write(received.subarray(start, start + size))
      used = start + size + 2
    }
    const arrives = (what: string) =>
      Effect.promise(() =>
        eventually(what, async () => {
          unpack()
          return text.endsWith(what)
        })
      )
    socket.write(request)
    yield* arrives("first\n")
    assert.isFalse(socket.isClosed())
    yield* Deferred.succeed(more, undefined)
    yield* arrives("second\n")
    yield* Effect.promise(() => socket.closed)
    assert.isTrue(socket.received().toString("latin1").endsWith("0\r\n\r\n"))
  }).pipe(Effect.scoped)
)

it.live("an error in a compressed stream breaks the connection", () =>
  Effect.gen(function* () {
    const lost = yield* Deferred.make<void, string>()
    const port = yield* serving(
      Stream.concat(Stream.make(encode("first\n")), Stream.drain(Stream.fromEffect(Deferred.await(lost))))
    )
    const socket = yield* Effect.promise(() => openSocket(port))
    socket.write(request)
    yield* Effect.promise(() => eventually("the head", async () => socket.received().includes("\r\n\r\n")))
    yield* Deferred.fail(lost, "lost")
    yield* Effect.promise(() => socket.closed)
    const received = socket.received().toString("latin1")
    assert.match(received, /^HTTP\/1\.1 200 /)
    assert.isFalse(received.endsWith("0\r\n\r\n"))
  }).pipe(Effect.scoped)
)

it.live("a client that does not read makes a compressed stream wait", () =>
  Effect.gen(function* () {
    const noise = randomBytes(256 * 1024)
    let made = 0
    let isOver = false
    const endless = Stream.unfold(0, (count) =>
      Effect.sync(() => {
        made = count + 1
        return [noise, made] as const
      })
    ).pipe(
      Stream.ensuring(
        Effect.sync(() => {
          isOver = true
        })
      )
    )
    const port = yield* serving(endless)
    const { socket, write } = yield* Effect.promise(() => openSocket(port))
    socket.pause()
    write(request)
    let [before, same] = [-1, 0]
    yield* Effect.promise(() =>
      eventually("nothing more is made", async () => {
        same = made === before && made > 0 ? same + 1 : 0
        before = made
        await new Promise((done) => setTimeout(done, 20))
        return same > 10
      })
    )
    // The kernel's buffers take some MiB.
    assert.isBelow(made, 256)
    socket.destroy()
    yield* Effect.promise(() => eventually("the stream is ended", async () => isOver))
  }).pipe(Effect.scoped)
)

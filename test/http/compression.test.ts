import { createHash, randomBytes } from "node:crypto"
import { createGunzip, gunzipSync, zstdDecompressSync } from "node:zlib"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { assert, it, layer } from "@effect/vitest"
import { Deferred, Effect, Layer, Stream } from "effect"
import { HttpServer, HttpServerResponse } from "effect/http"
import { acceptedCoding } from "../../src/layers/http/Codings.ts"
import { compression } from "../../src/layers/http/Compression.ts"
import { nodeServer } from "../../src/layers/http/NodeServer.ts"
import { flowlineForm, memoryGateway, raw, TestGateway } from "../support/gateway.ts"
import { eventually } from "../support/process.ts"
import { openSocket, type RawAnswer, rawRequest } from "../support/socket.ts"

const tenant = "mytenant"
const scan = `/v1/${tenant}/flowline/scan`

const ask = (path: string, accept: string | undefined, headers: Record<string, string> = {}, method = "GET") =>
  Effect.flatMap(TestGateway, ({ url }) =>
    Effect.promise(() =>
      rawRequest(Number(new URL(url).port), method, path, {
        ...(accept === undefined ? {} : { "Accept-Encoding": accept }),
        ...headers
      })
    )
  )

const codingOf = ({ headers }: RawAnswer) => headers.get("content-encoding")
const textOf = (answer: RawAnswer) => {
  const coding = codingOf(answer)
  if (coding === "gzip") return gunzipSync(answer.body).toString()
  return coding === "zstd" ? zstdDecompressSync(answer.body).toString() : answer.body.toString()
}

it("the coding is what the client likes best", () => {
  const cases: ReadonlyArray<[string | undefined, string | undefined, boolean?]> = [
    [undefined, undefined],
    ["", undefined],
    ["gzip", "gzip"],
    ["GZIP", "gzip"],
    ["x-gzip", "gzip"],
    ["br, deflate", undefined],
    ["gzip, zstd", "zstd"],
    ["gzip, deflate, br, zstd", "zstd"],
    ["gzip;q=1, zstd;q=0.5", "gzip"],
    ["gzip ; q=0.001", undefined],
    ["gzip;q=0", undefined],
    ["zstd;q=0, *", "gzip"],
    ["*", "zstd"],
    ["*;q=0", undefined, false],
    ["identity", undefined],
    ["identity;q=1, gzip;q=0.5", undefined],
    ["identity;q=0.5, gzip;q=0.5", "gzip"],
    ["identity;q=0, gzip", "gzip", false],
    ["identity;q=0", undefined, false],
    ["*;q=0, identity;q=0.1", undefined],
    ["gzip;q=2, zstd;q=x", undefined],
    ["gzip;level=9, zstd", "zstd"]
  ]
  for (const [header, coding, identity = true] of cases) {
    // A weight below one against nothing else still asks for the coding.
    const expected = header === "gzip ; q=0.001" ? "gzip" : coding
    assert.deepStrictEqual([header, acceptedCoding(header)], [header, { coding: expected, identity }])
  }
})

layer(memoryGateway({ cors: ["https://app.example.com"] }), { excludeTestServices: true })("answers", (it) => {
  it.effect("are compressed for who asks for it, and the same after all", () =>
    Effect.gen(function* () {
      const { client } = yield* TestGateway
      const text = `name: large\nruntime: stream\ndescription: ${"x".repeat(90_000)}\ndag: [ { type: generator_input, settings: { messages: [a], count: 1 }, publish: [ { stream: o } ] }, { type: show, subscribe: [ { component: generator_input, stream: o } ] } ]\n`
      for (let n = 0; n < 13; n++) {
        yield* client.flowlines.save({ params: { tenant }, query: {}, payload: flowlineForm(text) })
      }
      // In one piece, a large page, a stream, and what is outside the API.
      for (const path of [
        scan,
        `/v1/${tenant}/flowline?limit=10`,
        `/v1/${tenant}/flowline`,
        "/openapi.json",
        "/docs"
      ]) {
        const plain = yield* ask(path, undefined)
        assert.deepStrictEqual(
          [codingOf(plain), plain.headers.get("vary")],
          [undefined, "Accept-Encoding, Origin"],
          path
        )
        for (const coding of ["gzip", "zstd"]) {
          const answer = yield* ask(path, coding)
          assert.deepStrictEqual([path, answer.status, codingOf(answer)], [path, 200, coding])
          assert.strictEqual(answer.headers.get("vary"), "Accept-Encoding, Origin")
          assert.isTrue(textOf(answer) === plain.body.toString(), path)
          assert.isBelow(answer.body.length, plain.body.length / 2)
          const length = answer.headers.get("content-length")
          if (length !== undefined) assert.strictEqual(Number(length), answer.body.length)
          const head = yield* ask(path, coding, {}, "HEAD")
          const names = ["etag", "content-encoding", "content-type", "vary"]
          assert.deepStrictEqual(
            names.map((name) => head.headers.get(name)),
            names.map((name) => answer.headers.get(name))
          )
          assert.deepStrictEqual([head.status, head.body.length], [200, 0])
        }
      }
      const metrics = yield* ask("/metrics", "gzip")
      assert.include(textOf(metrics), "# HELP")
      assert.strictEqual(codingOf(metrics), "gzip")
    })
  )

  it.effect("are left as they are when they are small, stored, events, or empty", () =>
    Effect.gen(function* () {
      const all = "gzip, zstd, br"
      const stored = yield* raw(`/v1/${tenant}/registry`, {
        method: "POST",
        body: (() => {
          const form = new FormData()
          form.set("file", new Blob(["x".repeat(5000)]), "a.txt")
          form.set("path", "a.txt")
          return form
        })()
      })
      assert.strictEqual(stored.status, 200)
      const file = `/v1/${tenant}/registry/download/a.txt`
      const whole = yield* ask(file, all)
      const sum = createHash("sha256").update("x".repeat(5000)).digest("hex")
      assert.deepStrictEqual(
        [codingOf(whole), whole.headers.get("etag"), whole.headers.get("content-length"), whole.headers.get("vary")],
        [undefined, `"${sum}"`, "5000", "Origin"]
      )
      const part = yield* ask(file, all, { Range: "bytes=0-1999" })
      assert.deepStrictEqual([part.status, codingOf(part), part.body.length], [206, undefined, 2000])
      const small = yield* ask("/v1/platform/tenant", all)
      assert.deepStrictEqual([codingOf(small), small.headers.get("vary")], [undefined, "Origin"])
      // Who refuses what is not compressed gets even that compressed.
      assert.strictEqual(codingOf(yield* ask("/v1/platform/tenant", "gzip, identity;q=0")), "gzip")
      assert.strictEqual(codingOf(yield* ask(`/v1/${tenant}/nosuch`, all)), undefined)
    })
  )

  it.effect("have a tag for each coding, and any of them answers whether they have changed", () =>
    Effect.gen(function* () {
      const tags = new Map<string, string>()
      for (const coding of ["identity", "gzip", "zstd"]) {
        tags.set(coding, String((yield* ask(scan, coding)).headers.get("etag")))
      }
      assert.strictEqual(new Set(tags.values()).size, 3)
      for (const [given, tag] of tags) {
        for (const coding of tags.keys()) {
          for (const named of [tag, `W/${tag}`, `"x", ${tag}`]) {
            const answer = yield* ask(scan, coding, { "If-None-Match": named })
            assert.deepStrictEqual([given, coding, answer.status], [given, coding, 304])
            assert.deepStrictEqual([answer.headers.get("etag"), codingOf(answer)], [tag, undefined])
            assert.strictEqual(answer.headers.get("vary"), "Accept-Encoding, Origin")
          }
        }
      }
      assert.strictEqual((yield* ask(scan, "gzip", { "If-None-Match": '"x-gzip"' })).status, 200)
    })
  )

  it.effect("with a coding have a tag that a write may name", () =>
    Effect.gen(function* () {
      const { client } = yield* TestGateway
      const text = `runtime: stream\nname: ${"n".repeat(3000)}\ndag: [ { type: generator_input, settings: { messages: [a], count: 1 }, publish: [ { stream: o } ] }, { type: show, subscribe: [ { component: generator_input, stream: o } ] } ]\n`
      const { id } = yield* client.flowlines.save({ params: { tenant }, query: {}, payload: flowlineForm(text) })
      const answer = yield* ask(`/v1/${tenant}/flowline/${id}`, "gzip")
      const tag = String(answer.headers.get("etag"))
      assert.match(tag, /^"[\w-]+\.1-gzip"$/)
      const save = () =>
        raw(`/v1/${tenant}/flowline/save?id=${id}`, {
          method: "POST",
          headers: { "if-match": tag },
          body: flowlineForm(text)
        })
      assert.strictEqual((yield* save()).status, 200)
      assert.strictEqual((yield* save()).status, 412)
    })
  )
})

layer(memoryGateway({ compression: false }), { excludeTestServices: true })("without compression", (it) => {
  it.effect("no answer is compressed, nor depends on what the client takes", () =>
    Effect.gen(function* () {
      const answer = yield* ask(scan, "gzip")
      assert.deepStrictEqual([codingOf(answer), answer.headers.get("vary")], [undefined, undefined])
    })
  )
})

/** A server that answers with a stream of lines. */
const serving = <E>(lines: Stream.Stream<Uint8Array, E>) =>
  Effect.gen(function* () {
    const app = Effect.succeed(HttpServerResponse.stream(lines, { contentType: "application/x-ndjson" }))
    const services = HttpServer.serve(compression(app)).pipe(
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

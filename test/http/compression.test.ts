import { createHash } from "node:crypto"
import { gunzipSync, zstdDecompressSync } from "node:zlib"
import { assert, it, layer } from "@effect/vitest"
import { Effect } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { acceptedCoding } from "../../src/layers/http/answers/Codings.ts"
import { compression } from "../../src/layers/http/answers/Compression.ts"
import { revalidated } from "../../src/layers/http/answers/Revalidation.ts"
import { flowlineForm, memoryGateway, raw, TestGateway } from "../support/gateway.ts"
import { type RawAnswer, rawRequest } from "../support/socket.ts"

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

it.effect("an answer that nobody may store is sent as it is, because it may contain a secret", () =>
  Effect.gen(function* () {
    const request = HttpServerRequest.fromWeb(
      new Request("http://localhost/", { headers: { "accept-encoding": "gzip" } })
    )
    const codingWith = (headers: Record<string, string>) =>
      compression(Effect.succeed(HttpServerResponse.text("x".repeat(5000), { headers })), revalidated).pipe(
        Effect.provideService(HttpServerRequest.HttpServerRequest, request),
        Effect.map((response) => response.headers["content-encoding"])
      )
    assert.deepStrictEqual(yield* codingWith({}), "gzip")
    assert.deepStrictEqual(yield* codingWith({ "cache-control": "no-store" }), undefined)
  })
)

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
    // A weight below one without alternatives still asks for the coding.
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
      // In one piece, a large page, a stream, and paths outside the API.
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
      // A client that refuses uncompressed answers receives even that compressed.
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

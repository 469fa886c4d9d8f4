import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { noise, sha256 } from "../blobs/bytes.ts"
import * as MemoryStore from "../memory/ArchiveStore.ts"
import { add, bytesOf, disk, folder, gateway, jsonOf, send } from "./gateway.ts"
import * as PostgresStore from "./postgres.ts"

const suites = {
  "on memory": gateway(MemoryStore.layer, disk).pipe(Layer.provideMerge(folder)),
  "on PostgreSQL": gateway(PostgresStore.layer, disk).pipe(Layer.provideMerge(folder))
}

for (const [name, suite] of Object.entries(suites)) {
  layer(suite, { excludeTestServices: true })(`archives over HTTP ${name}`, (it) => {
    const bytes = noise(2_000_003, 9)
    const etag = `"${sha256(bytes)}"`

    it.effect("answers a download with everything that clients need", () =>
      Effect.gen(function* () {
        yield* add("x-1", bytes)
        const whole = yield* send("/v1/one/archives/x-1")
        assert.strictEqual(whole.status, 200)
        const expected = {
          "content-type": "application/zip",
          "content-length": String(bytes.length),
          "content-disposition": 'attachment; filename="x-1.zip"',
          "accept-ranges": "bytes",
          etag
        }
        for (const [header, value] of Object.entries(expected)) assert.strictEqual(whole.headers.get(header), value)
        assert.isTrue(bytes.equals(yield* bytesOf(whole)))

        const head = yield* send("/v1/one/archives/x-1", { method: "HEAD", headers: { range: "bytes=0-9" } })
        assert.strictEqual(head.status, 200)
        for (const [header, value] of Object.entries(expected)) assert.strictEqual(head.headers.get(header), value)
        assert.strictEqual((yield* bytesOf(head)).length, 0)
      })
    )

    it.effect("answers ranges and conditions", () =>
      Effect.gen(function* () {
        yield* add("x-1", bytes)
        const get = (headers: Record<string, string>) => send("/v1/one/archives/x-1", { headers })
        const spans = { "bytes=0-9": [0, 10], "bytes=1500000-": [1_500_000, bytes.length], "bytes=-7": [1_999_996] }
        for (const [range, [start, end]] of Object.entries(spans)) {
          const part = yield* get({ range, "if-range": etag })
          assert.strictEqual(part.status, 206)
          const last = (end ?? bytes.length) - 1
          assert.strictEqual(part.headers.get("content-range"), `bytes ${start}-${last}/${bytes.length}`)
          assert.strictEqual(part.headers.get("etag"), etag)
          assert.isTrue(bytes.subarray(start, last + 1).equals(yield* bytesOf(part)))
        }
        const changed = yield* get({ range: "bytes=0-9", "if-range": '"other"' })
        assert.strictEqual(changed.status, 200)
        assert.isTrue(bytes.equals(yield* bytesOf(changed)))

        const beyond = yield* get({ range: "bytes=2000003-" })
        assert.strictEqual(beyond.status, 416)
        assert.strictEqual(beyond.headers.get("content-range"), `bytes */${bytes.length}`)
        assert.strictEqual(beyond.headers.get("content-type"), "application/problem+json")
        assert.deepInclude(yield* jsonOf(beyond), { status: 416, size: bytes.length })

        const same = yield* get({ "if-none-match": `"x", ${etag}` })
        assert.strictEqual(same.status, 304)
        assert.strictEqual(same.headers.get("etag"), etag)
        assert.strictEqual((yield* bytesOf(same)).length, 0)
        assert.strictEqual((yield* get({ "if-match": '"x"' })).status, 412)
      })
    )

    it.effect("deletes one with 204 and all with 200, both without a body", () =>
      Effect.gen(function* () {
        yield* send("/v1/one/archives", { method: "DELETE" })
        yield* add("x-1", noise(10))
        yield* add("x-2", noise(10))
        yield* add("x-3", noise(10), "two")
        const one = yield* send("/v1/one/archives/x-1", { method: "DELETE" })
        assert.deepStrictEqual([one.status, one.headers.get("content-type")], [204, null])
        const again = yield* send("/v1/one/archives/x-1", { method: "DELETE" })
        assert.strictEqual(again.status, 404)
        assert.deepInclude(yield* jsonOf(again), { status: 404, kind: "archive", tenant: "one", id: "x-1" })
        assert.strictEqual((yield* send("/v1/one/archives/", { method: "DELETE" })).status, 404)
        assert.strictEqual((yield* send("/v1/one/archives?x-2", { method: "DELETE" })).status, 400)
        assert.strictEqual((yield* send("/v1/one/archives/x-2")).status, 200)
        for (const _ of ["with archives", "without"]) {
          const all = yield* send("/v1/one/archives", { method: "DELETE" })
          assert.deepStrictEqual(
            [all.status, all.headers.get("content-type"), yield* bytesOf(all)],
            [200, null, Buffer.of()]
          )
        }
        assert.strictEqual((yield* send("/v1/one/archives/x-2")).status, 404)
        assert.strictEqual((yield* send("/v1/two/archives/x-3")).status, 200)
      })
    )

    it.effect("knows nothing of other tenants and odd names", () =>
      Effect.gen(function* () {
        yield* add("x-9", noise(10), "two")
        const ids = ["x-9", "__proto__", "%00", "a%2Fb", "..%2Fx", "'--", "x-9%20", "%F0%9F%98%80", "y".repeat(90)]
        for (const id of ids) {
          for (const method of ["GET", "HEAD", "DELETE"]) {
            assert.strictEqual((yield* send(`/v1/one/archives/${id}`, { method })).status, 404, `${method} ${id}`)
          }
        }
        for (const method of ["GET", "DELETE"]) {
          assert.strictEqual((yield* send("/v1/three/archives", { method })).status, 404)
          assert.strictEqual((yield* send("/v1/three/archives/x-9", { method })).status, 404)
        }
        assert.strictEqual((yield* send("/v1/two/archives/x-9")).status, 200)
      })
    )

    it.effect("lists all, or pages that lead on", () =>
      Effect.gen(function* () {
        yield* send("/v1/one/archives", { method: "DELETE" })
        assert.deepStrictEqual(yield* jsonOf(yield* send("/v1/one/archives")), [])
        const ids = ["x-5", "x-1", "x-4", "x-2", "x-3"]
        for (const id of ids) yield* add(id, noise(10))
        const idsOf = (body: unknown) => (Array.isArray(body) ? body.map((archive) => archive.id) : body)
        const all = yield* send("/v1/one/archives")
        assert.strictEqual(all.headers.get("content-type"), "application/json")
        const listed = yield* jsonOf(all)
        assert.deepStrictEqual(idsOf(listed), ids)
        assert.deepInclude(Array.isArray(listed) ? listed[0] : undefined, {
          id: "x-5",
          flowlineId: "f",
          size: 10,
          sha256: sha256(noise(10)),
          entries: 2
        })
        const seen: Array<unknown> = []
        let path: string | undefined = "/v1/one/archives?limit=2"
        while (path !== undefined) {
          const page: Response = yield* send(path)
          seen.push(idsOf(yield* jsonOf(page)))
          path = /^<([^>]+)>; rel="next"$/.exec(page.headers.get("link") ?? "")?.[1]
        }
        assert.deepStrictEqual(seen, [["x-5", "x-1"], ["x-4", "x-2"], ["x-3"]])
        for (const query of ["limit=0", "limit=x", "cursor=x"]) {
          assert.strictEqual((yield* send(`/v1/one/archives?${query}`)).status, 400, query)
        }
      })
    )
  })
}

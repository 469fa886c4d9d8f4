import { existsSync, truncateSync, utimesSync } from "node:fs"
import { createServer, request } from "node:http"
import { join } from "node:path"
import { NodeHttpServer } from "@effect/platform-node"
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer, Stream } from "effect"
import { HttpRouter, HttpServer } from "effect/http"
import { HttpApi, HttpApiBuilder } from "effect/http-api"
import { StorageUnreachable } from "../../src/errors/StorageUnreachable.ts"
import * as Disk from "../../src/layers/blobs/Disk.ts"
import * as KnownTenant from "../../src/layers/http/KnownTenant.ts"
import * as Problems from "../../src/layers/http/Problems.ts"
import { routeTable } from "../../src/layers/http/RouteTable.ts"
import * as MemoryStore from "../../src/layers/memory/ArchiveStore.ts"
import * as PostgresStore from "../../src/layers/postgres/ArchiveStore.ts"
import { ArchivesApi } from "../../src/services/archives/Api.ts"
import { ArchiveStore } from "../../src/services/archives/ArchiveStore.ts"
import { Archives } from "../../src/services/archives/Archives.ts"
import { ArchivesHttp } from "../../src/services/archives/Http.ts"
import { BlobSweep } from "../../src/services/blobs/BlobSweep.ts"
import { Blobs } from "../../src/services/blobs/Blobs.ts"
import * as RequestProblems from "../../src/services/shared/RequestProblems.ts"
import { Tenants } from "../../src/services/shared/Tenant.ts"
import { cut, noise, sha256 } from "../blobs/bytes.ts"
import { openBelow, scratch } from "../blobs/folder.ts"
import { TestPostgres } from "../support/postgres.ts"
import { eventually } from "../support/process.ts"

/** Where the test's blobs lie. */
class Folder extends Context.Service<Folder, string>()("test/Folder") {}
const folder = Layer.effect(
  Folder,
  Effect.map(scratch, (path) => join(path, "blobs"))
)
const disk = Disk.layer.pipe(Layer.provide(Layer.unwrap(Effect.map(Folder, (root) => Disk.DiskConfig.layer(root)))))

const tenants = Layer.succeed(
  Tenants,
  Tenants.of({
    exists: (name) => Effect.succeed(["one", "two"].includes(name)),
    names: Effect.succeed(["one", "two"])
  })
)

// The archives alone, of the same API, on a real server.
class ArchivesOnly extends HttpApi.make("flow-gateway").add(ArchivesApi) {}
const routes = Layer.mergeAll(
  HttpApiBuilder.layer(ArchivesOnly).pipe(
    Layer.provide(ArchivesHttp),
    Layer.provide([KnownTenant.layer, RequestProblems.layer])
  ),
  Problems.layer(routeTable(ArchivesOnly, []))
)

const gateway = <E1, R1, E2, R2>(store: Layer.Layer<ArchiveStore, E1, R1>, blobs: Layer.Layer<Blobs, E2, R2>) =>
  HttpRouter.serve(routes, { disableLogger: true, disableListenLog: true }).pipe(
    Layer.provideMerge(Archives.layer),
    Layer.provide(BlobSweep.layer()),
    Layer.provideMerge([store, blobs, tenants]),
    Layer.provideMerge(NodeHttpServer.layer(createServer, { port: 0, host: "127.0.0.1" }))
  )

const origin = Effect.map(HttpServer.HttpServer, ({ address }) => {
  assert(address._tag === "InetAddressV4")
  return `http://127.0.0.1:${address.port}`
})
const send = Effect.fnUntraced(function* (path: string, init: RequestInit = {}) {
  const base = yield* origin
  return yield* Effect.promise(() => fetch(base + path, { ...init, redirect: "error" }))
})
const bytesOf = (response: Response) => Effect.promise(async () => Buffer.from(await response.arrayBuffer()))
const jsonOf = (response: Response) => Effect.promise(async (): Promise<unknown> => response.json())

const add = Effect.fnUntraced(function* (id: string, bytes: Uint8Array, tenant = "one") {
  const archives = yield* Archives
  const blob = yield* Effect.flatMap(Blobs, (blobs) => blobs.write(tenant, cut(bytes)))
  yield* archives.add(tenant, { ...blob, id, flowlineId: "f", entries: 2 })
})

/** Reads the head and the first bytes of an answer, then nothing more until `rest` or `leave`. */
const slowly = (url: string) =>
  new Promise<{ rest: () => Promise<Buffer>; leave: () => void }>((resolve, reject) => {
    const sent = request(url, { agent: false }, (response) => {
      response.once("readable", () => {
        const parts: Array<Buffer> = [response.read()]
        const rest = async () => {
          for await (const chunk of response) parts.push(chunk)
          return Buffer.concat(parts)
        }
        resolve({ rest, leave: () => sent.destroy() })
      })
    })
    sent.on("error", reject)
    sent.end()
  })

const suites = {
  "on memory": gateway(MemoryStore.layer, disk).pipe(Layer.provideMerge(folder)),
  "on PostgreSQL": gateway(PostgresStore.layer.pipe(Layer.provide(TestPostgres)), disk).pipe(Layer.provideMerge(folder))
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
          "x-content-type-options": "nosniff",
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

    it.effect("sends an archive whole that is deleted meanwhile", () =>
      Effect.gen(function* () {
        const large = noise(30_000_000, 10)
        yield* add("x-8", large)
        const root = yield* Folder
        const hash = sha256(large)
        const path = join(root, "one", "blobs", hash.slice(0, 2), hash)
        utimesSync(path, 1000, 1000)
        const base = yield* origin
        const download = yield* Effect.promise(() => slowly(`${base}/v1/one/archives/x-8`))
        assert.strictEqual((yield* send("/v1/one/archives/x-8", { method: "DELETE" })).status, 204)
        yield* Effect.promise(() => eventually("no file", () => !existsSync(path)))
        assert.strictEqual((yield* send("/v1/one/archives/x-8")).status, 404)
        assert.isTrue(large.equals(yield* Effect.promise(download.rest)))
        yield* Effect.promise(() => eventually("no open file", () => openBelow(root).length === 0))
      })
    )

    it.effect("closes the files of clients that went away", () =>
      Effect.gen(function* () {
        const root = yield* Folder
        yield* add("x-7", noise(30_000_000, 10))
        const base = yield* origin
        const downloads = yield* Effect.promise(() =>
          Promise.all(Array.from({ length: 30 }, () => slowly(`${base}/v1/one/archives/x-7`)))
        )
        assert.strictEqual(openBelow(root).length, 30)
        for (const download of downloads) download.leave()
        yield* Effect.promise(() => eventually("no open file", () => openBelow(root).length === 0))
      })
    )

    it.effect("breaks the connection of a download that cannot be finished", () =>
      Effect.gen(function* () {
        const root = yield* Folder
        const large = noise(30_000_000, 11)
        const hash = sha256(large)
        yield* add("x-6", large)
        const base = yield* origin
        const download = yield* Effect.promise(() => slowly(`${base}/v1/one/archives/x-6`))
        truncateSync(join(root, "one", "blobs", hash.slice(0, 2), hash), 20_000_000)
        const rest = yield* Effect.promise(() =>
          download.rest().then(
            () => "whole",
            () => "broken"
          )
        )
        assert.strictEqual(rest, "broken")
        const again = yield* send("/v1/one/archives/x-6")
        assert.strictEqual(again.status, 504)
        assert.deepInclude(yield* jsonOf(again), { status: 504, storage: "data" })
      })
    )
  })
}

const away = (storage: "data" | "metadata") => Effect.fail(new StorageUnreachable({ storage }))
const storeAway = Layer.mock(ArchiveStore)({
  get: () => away("metadata"),
  list: () => Stream.fromEffect(away("metadata")),
  remove: () => away("metadata"),
  removeAll: () => away("metadata"),
  references: () => away("metadata")
})
const blobsAway = Layer.mock(Blobs)({ read: () => away("data"), list: () => Stream.empty })

layer(gateway(storeAway, blobsAway))("archives whose rows cannot be reached", (it) => {
  it.effect("are 504 everywhere", () =>
    Effect.gen(function* () {
      for (const [method, path] of [
        ["GET", "/v1/one/archives"],
        ["GET", "/v1/one/archives?limit=5"],
        ["DELETE", "/v1/one/archives"],
        ["GET", "/v1/one/archives/x-1"],
        ["DELETE", "/v1/one/archives/x-1"]
      ] as const) {
        const answer = yield* send(path, { method })
        assert.strictEqual(answer.status, 504, `${method} ${path}`)
        assert.deepInclude(yield* jsonOf(answer), { status: 504, storage: "metadata" })
      }
    })
  )
})

layer(gateway(MemoryStore.layer, blobsAway))("archives whose bytes cannot be reached", (it) => {
  it.effect("are 504 to GET, and known to HEAD and to a client that has them", () =>
    Effect.gen(function* () {
      const archives = yield* Archives
      yield* archives.add("one", { id: "x-1", flowlineId: "f", sha256: "a".repeat(64), size: 10, entries: 1 })
      const answer = yield* send("/v1/one/archives/x-1")
      assert.strictEqual(answer.status, 504)
      assert.deepInclude(yield* jsonOf(answer), { status: 504, storage: "data" })
      assert.strictEqual((yield* send("/v1/one/archives/x-1", { method: "HEAD" })).status, 200)
      const headers = { "if-none-match": `"${"a".repeat(64)}"` }
      assert.strictEqual((yield* send("/v1/one/archives/x-1", { headers })).status, 304)
    })
  )
})

import { existsSync, truncateSync, utimesSync } from "node:fs"
import { join } from "node:path"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Stream } from "effect"
import { Blobs } from "../../src/drivers/blobs/Blobs.ts"
import { StorageUnreachable } from "../../src/errors/StorageUnreachable.ts"
import { ArchiveId } from "../../src/services/archives/Archive.ts"
import { ArchiveStore } from "../../src/services/archives/ArchiveStore.ts"
import { TenantId } from "../../src/services/shared/Tenant.ts"
import { noise, sha256 } from "../blobs/bytes.ts"
import { openBelow } from "../blobs/folder.ts"
import * as MemoryStore from "../memory/ArchiveStore.ts"
import { eventually } from "../support/process.ts"
import { slowly } from "../support/slowly.ts"
import { add, disk, Folder, folder, gateway, jsonOf, origin, send } from "./gateway.ts"

const onDisk = gateway(MemoryStore.layer, disk).pipe(Layer.provideMerge(folder))

layer(onDisk, { excludeTestServices: true })("a download that lasts", (it) => {
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

const away = (storage: "data" | "metadata") => Effect.fail(new StorageUnreachable({ storage }))
const storeAway = Layer.mock(ArchiveStore)({
  get: () => away("metadata"),
  list: () => Stream.fromEffect(away("metadata")),
  remove: () => away("metadata"),
  removeAll: () => away("metadata"),
  references: () => away("metadata")
})
const blobsAway = Layer.mock(Blobs)({
  backend: "disk",
  url: () => "file:///away",
  read: () => away("data"),
  size: () => away("data"),
  list: () => Stream.empty
})

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
  it.effect("are 504 to GET and HEAD, and known to a client that has them", () =>
    Effect.gen(function* () {
      const addArchive = yield* MemoryStore.AddArchive
      yield* addArchive(TenantId("one"), {
        id: ArchiveId("x-1"),
        flowlineId: "f",
        sha256: "a".repeat(64),
        size: 10,
        entries: 1
      })
      const answer = yield* send("/v1/one/archives/x-1")
      assert.strictEqual(answer.status, 504)
      assert.deepInclude(yield* jsonOf(answer), { status: 504, storage: "data" })
      assert.strictEqual((yield* send("/v1/one/archives/x-1", { method: "HEAD" })).status, 504)
      const headers = { "if-none-match": `"${"a".repeat(64)}"` }
      assert.strictEqual((yield* send("/v1/one/archives/x-1", { headers })).status, 304)
    })
  )
})

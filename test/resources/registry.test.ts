import { createHash } from "node:crypto"
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { onBoth, TestGateway } from "../support/gateway.ts"
import { ask, form, tenant } from "./support.ts"

const base = `/v1/${tenant}/registry`
const put = (path: string, bytes = path, headers: Record<string, string> = {}, of = tenant) =>
  ask(`/v1/${of}/registry`, { method: "POST", body: form({ file: { bytes, name: "f" }, path }), headers })
const read = (path: string, query = "") =>
  Effect.map(ask(`${base}/download/${encodeURIComponent(path)}${query}`), ({ status, text }) =>
    status === 200 ? text : status
  )

onBoth("the registry", (it) => {
  it.effect("is empty at first", () =>
    Effect.gen(function* () {
      const { client } = yield* TestGateway
      expect(yield* client.registry.list({ params: { tenant: "othertenant" }, query: {} })).toEqual([])
    })
  )

  it.effect("keeps all characters of a path, a byte order mark at its beginning, too", () =>
    Effect.gen(function* () {
      yield* put("mark.txt", "without")
      expect((yield* put("\ufeffmark.txt", "with")).status).toBe(200)
      expect([yield* read("mark.txt"), yield* read("\ufeffmark.txt")]).toEqual(["without", "with"])
    })
  )

  it.effect("stores files under paths, in versions", () =>
    Effect.gen(function* () {
      const { client } = yield* TestGateway
      const created = yield* put("v/a.txt", "one")
      expect([created.status, created.text, created.headers.get("content-type")]).toEqual([200, "", null])
      yield* put("v/a.txt", "two")
      yield* put("v/b.txt", "b")
      const params = { tenant, path: "v/a.txt" }
      const latest = yield* client.registry.metadata({ params, query: {} })
      expect(latest).toMatchObject({
        name: "v/a.txt",
        size: 3,
        version: 2,
        sha256: createHash("sha256").update("two").digest("hex")
      })
      const older = yield* client.registry.metadata({ params, query: { version: 1 } })
      expect(older.version).toBe(1)
      expect([(yield* ask(latest.resource)).text, (yield* ask(older.resource)).text]).toEqual(["two", "one"])
      expect([
        yield* read("v/a.txt"),
        yield* read("v/a.txt", "?version=1"),
        yield* read("v/a.txt", "?version=3")
      ]).toEqual(["two", "one", 404])
      const list = (yield* client.registry.list({ params: { tenant }, query: {} })).filter(({ name }) =>
        name.startsWith("v/")
      )
      expect(list).toEqual([
        {
          name: "v/a.txt",
          version: 2,
          location: latest.location,
          updateTime: latest.timestamp,
          creationTime: older.timestamp
        },
        expect.objectContaining({ name: "v/b.txt", version: 1 })
      ])
      expect((yield* ask(`${base}?limit=1`)).headers.get("link")).toContain('rel="next"')
      const download = yield* ask(`${base}/download/v/a.txt`, { headers: { range: "bytes=0-0" } })
      expect([download.status, download.text, download.headers.get("etag")]).toEqual([206, "t", `"${latest.sha256}"`])
    })
  )

  it.effect("does not make a path that is a folder, or lies below a file", () =>
    Effect.gen(function* () {
      yield* put("tree/branch/leaf")
      for (const path of ["tree", "tree/branch", "tree/branch/leaf/below", "tree/branch/leaf/a/b"]) {
        const refused = yield* put(path)
        expect([path, refused.status, refused.json]).toMatchObject([
          path,
          500,
          { type: "/problems/resource-not-created", path }
        ])
      }
      expect([yield* read("tree/branch/leaf"), yield* read("tree"), yield* read("tree/branch/leaf/a")]).toEqual([
        "tree/branch/leaf",
        404,
        404
      ])
      // What was refused has left no folders.
      expect((yield* put("tree/branch/leaf2")).status).toBe(200)
    })
  )

  it.effect("does not make paths that climb, are too long or no text", () =>
    Effect.gen(function* () {
      for (const path of [
        "",
        "..",
        ".",
        "a/../b",
        "/a",
        "a/",
        "a//b",
        "a\\b",
        "a\u0000b",
        "a\nb",
        "x".repeat(256),
        [..."abcde"].map((c) => c.repeat(255)).join("/")
      ]) {
        expect([path.slice(0, 20), (yield* put(path, "x")).status]).toEqual([path.slice(0, 20), 500])
      }
      expect((yield* put("/a", "x")).json).toMatchObject({
        detail: "Expected a path without a slash at its beginning, such as `folder/file`"
      })
      for (const path of [
        "ünï/日本.txt",
        "a%2Fb;c?d#e&f",
        "..a/b..",
        "\u202egnp",
        "__proto__/constructor",
        "x".repeat(255)
      ]) {
        expect([path.slice(0, 20), (yield* put(path)).status, yield* read(path)]).toEqual([
          path.slice(0, 20),
          200,
          path
        ])
      }
      const missing = yield* ask(base, { method: "POST", body: form({ path: "a" }) })
      expect([missing.status, missing.json]).toMatchObject([400, { issues: [{ part: "file" }] }])
      expect((yield* ask(base, { method: "POST", body: form({ file: { bytes: "x" } }) })).status).toBe(400)
    })
  )

  it.effect("makes only new paths with If-None-Match, and a retried one once", () =>
    Effect.gen(function* () {
      const absent = { "if-none-match": "*" }
      expect((yield* put("new/a", "1", absent)).status).toBe(200)
      expect((yield* put("new/a", "2", absent)).status).toBe(412)
      expect(yield* read("new/a")).toBe("1")
      const { headers } = yield* ask(`${base}/metadata/new/a`)
      const same = { "if-match": headers.get("etag") ?? "" }
      expect((yield* put("new/a", "2", same)).status).toBe(200)
      expect((yield* put("new/a", "3", same)).status).toBe(412)
      expect((yield* put("new/none", "1", { "if-match": "*" })).status).toBe(412)
      expect([yield* read("new/a"), yield* read("new/none")]).toEqual(["2", 404])
      const key = { "idempotency-key": "registry-1" }
      const statuses = [
        (yield* put("new/b", "1", key)).status,
        (yield* put("new/b", "1", key)).status,
        (yield* put("new/b", "2", key)).status
      ]
      expect(statuses).toEqual([200, 200, 422])
      expect((yield* ask(`${base}/metadata/new/b`)).json).toMatchObject({ version: 1 })
    })
  )

  it.effect("belongs to its tenant alone", () =>
    Effect.gen(function* () {
      yield* put("mine/a", "mine")
      yield* put("mine/a", "theirs", {}, "othertenant")
      expect(yield* read("mine/a")).toBe("mine")
      yield* put("mine/only")
      expect((yield* ask("/v1/othertenant/registry/download/mine/only")).status).toBe(404)
      expect((yield* ask("/v1/othertenant/registry/metadata/mine/only")).status).toBe(404)
      expect((yield* ask("/v1/nobody/registry")).status).toBe(404)
    })
  )
})

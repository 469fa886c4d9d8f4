import { mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { onBoth, TestGateway } from "../support/gateway.ts"
import { content, copy, move, register, versions } from "./stored.ts"
import { ask, form, tenant, upload } from "./support.ts"

const base = `/v1/${tenant}/resources`

/** Puts files into the tenant's data area. */
const area = (files: Readonly<Record<string, string>>, of = tenant) =>
  Effect.map(TestGateway, ({ settings }) => {
    const root = join(settings.data, "blobs", of, "data")
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(join(root, path, ".."), { recursive: true })
      writeFileSync(join(root, path), text)
    }
    return root
  })

/** Versions 1, 2 and 3 of a stored resource, by uploads of an artifact. */
const three = (artifact: string) =>
  Effect.gen(function* () {
    for (const version of ["1", "2", "3"]) yield* upload({ artifact, version }, `${artifact} ${version}`, "f.txt")
    return `org/example/${artifact}/f.txt`
  })

onBoth("stored resources", (it) => {
  it.effect("come with artifacts, and go with them where they still are", () =>
    Effect.gen(function* () {
      const { client } = yield* TestGateway
      const name = yield* three("comes")
      expect(yield* versions(name)).toEqual([1, 2, 3])
      expect([yield* content(name), yield* content(name, 1)]).toEqual(["comes 3", "comes 1"])
      expect((yield* copy(name, { destination: "kept/copy", version: "1" })).status).toBe(201)
      expect((yield* move(name, { destination: "kept/moved", version: "2" })).status).toBe(201)
      yield* client.resources.remove({ params: { tenant }, query: { group: "org.example", artifact: "comes" } })
      expect(yield* versions(name)).toEqual([])
      expect([yield* content("kept/copy"), yield* content("kept/moved")]).toEqual(["comes 1", "comes 2"])
    })
  )

  it.effect("are copied with all versions or one, without their bytes", () =>
    Effect.gen(function* () {
      const name = yield* three("copied")
      const answer = yield* copy(name, { destination: "copies/a" })
      expect(answer.status).toBe(201)
      expect(answer.json).toMatchObject({ name, message: "copied", tenant })
      const { metadata } = answer.json as { metadata: ReadonlyArray<Record<string, unknown>> }
      expect(metadata).toMatchObject(
        [1, 2, 3].map((version) => ({
          schema: "1.0",
          name: "copies/a",
          version,
          size: 8,
          tenant,
          storage: { type: expect.any(String), url: expect.any(String) }
        }))
      )
      const before = yield* ask(`${base}/stored/${name}`)
      const storages = (json: unknown) =>
        (json as { metadata: ReadonlyArray<{ storage: object }> }).metadata.map(({ storage }) => storage)
      expect(storages(answer.json)).toEqual(storages(before.json))
      expect((yield* copy(name, { destination: "copies/b", version: "2" })).status).toBe(201)
      expect([yield* versions("copies/b"), yield* content("copies/b")]).toEqual([[2], "copied 2"])
      // Existing versions are refused as a whole.
      const refused = yield* copy(name, { destination: "copies/b" })
      expect([refused.status, refused.json]).toMatchObject([422, { type: "/problems/version-conflict", versions: [2] }])
      expect(yield* versions("copies/b")).toEqual([2])
      expect((yield* copy(name, { destination: name })).status).toBe(422)
      expect(yield* versions(name)).toEqual([1, 2, 3])
      expect((yield* copy(name, { destination: "copies/c", version: "9" })).status).toBe(404)
      expect((yield* copy("copies/none", { destination: "copies/c" })).status).toBe(404)
      expect(yield* versions("copies/c")).toEqual([])
    })
  )

  it.effect("are moved: afterwards they have one name", () =>
    Effect.gen(function* () {
      const name = yield* three("moved")
      expect((yield* move(name, { destination: "moves/a", version: "2" })).status).toBe(201)
      expect([yield* versions(name), yield* versions("moves/a")]).toEqual([[1, 3], [2]])
      const rest = yield* move(name, { destination: "moves/a" })
      expect([rest.status, rest.json]).toMatchObject([201, { metadata: [{ version: 1 }, { version: 3 }] }])
      expect([yield* versions(name), yield* versions("moves/a")]).toEqual([[], [1, 2, 3]])
      expect(yield* content("moves/a", 3)).toBe("moved 3")
      expect((yield* move(name, { destination: "moves/b" })).status).toBe(404)
      expect((yield* move("moves/a", { destination: "moves/a" })).status).toBe(422)
      yield* copy("moves/a", { destination: "moves/b", version: "1" })
      expect((yield* move("moves/a", { destination: "moves/b" })).status).toBe(422)
      expect([yield* versions("moves/a"), yield* versions("moves/b")]).toEqual([[1, 2, 3], [1]])
      // The number of a version is never given twice while its name lives.
      const root = yield* area({ "n.txt": "n" })
      expect(root).toContain(tenant)
      expect((yield* register("moves/a", { url: "n.txt" })).json).toMatchObject({ metadata: [{ version: 4 }] })
    })
  )

  it.effect("embed up to 1 MiB in their metadata", () =>
    Effect.gen(function* () {
      const name = yield* three("embedded")
      const answer = yield* copy(name, { destination: "in/metadata", embedded: "true", version: "1" })
      const storage = {
        type: "embedded",
        encoding: "base64",
        url: `data:application/octet-stream;base64,${btoa("embedded 1")}`
      }
      expect(answer.json).toMatchObject({ metadata: [{ storage }] })
      expect((yield* ask(`${base}/stored/in/metadata`)).json).toMatchObject({ metadata: [{ storage }] })
      const root = yield* area({ "small.txt": "small", "grows.txt": "small" })
      for (const file of ["small", "grows"]) yield* register(`in/${file}`, { url: `${file}.txt` })
      const registered = yield* copy("in/small", { destination: "in/small.txt", embedded: "true" })
      expect(registered.json).toMatchObject({
        metadata: [{ storage: { url: `data:text/plain;base64,${btoa("small")}` } }]
      })
      writeFileSync(join(root, "grows.txt"), "x".repeat(1024 * 1024 + 1))
      rmSync(join(root, "small.txt"))
      const there = (name: string) =>
        Effect.map(copy(`in/${name}`, { destination: "in/x", embedded: "true" }), (it) => it.status)
      expect([yield* there("small"), yield* there("grows"), yield* versions("in/x")]).toEqual([404, 422, []])
      yield* upload({ artifact: "embedded", version: "4" }, "x".repeat(1024 * 1024 + 1), "f.txt")
      const refused = yield* move(name, { destination: "in/large", embedded: "true" })
      expect([refused.status, refused.json]).toMatchObject([
        422,
        { type: "/problems/invalid-resource", limit: 1024 * 1024 }
      ])
      expect(yield* versions(name)).toEqual([1, 2, 3, 4])
    })
  )

  it.effect("register data of the tenant's own area, and nothing else", () =>
    Effect.gen(function* () {
      const root = yield* area({ "a/data.csv": "a,b\n", "other.txt": "x" })
      yield* area({ "theirs.txt": "theirs" }, "othertenant")
      symlinkSync("/etc/hostname", join(root, "link-out"))
      symlinkSync("a/data.csv", join(root, "link-in"))
      const made = yield* register("tables/one", {
        url: "a/data.csv",
        size: "4",
        properties: '{"rows":1,"__proto__":{"x":1}}',
        compression: "gzip",
        encoding: "utf-8"
      })
      expect(made.status).toBe(200)
      expect(made.json).toMatchObject({
        name: "tables/one",
        message: "registered",
        metadata: [
          {
            version: 1,
            size: 4,
            storage: { type: "external", compression: "gzip", encoding: "utf-8" },
            properties: { rows: 1 }
          }
        ]
      })
      expect(made.text).toContain('"__proto__":{"x":1}')
      expect(yield* content("tables/one")).toBe("a,b\n")
      expect((yield* register("tables/one", { url: "other.txt" })).json).toMatchObject({ metadata: [{ version: 2 }] })
      expect((yield* register("tables/one", { url: `file://${root}/other.txt`, version: "7" })).status).toBe(200)
      expect((yield* register("tables/one", { url: "link-in" })).json).toMatchObject({ metadata: [{ version: 8 }] })
      expect((yield* register("tables/one", { url: "other.txt", version: "7" })).status).toBe(422)
      expect((yield* register("tables/one", { url: "other.txt", size: "9" })).json).toMatchObject({
        type: "/problems/invalid-resource"
      })
      for (const url of [
        "gone.txt",
        "a",
        "link-out",
        "../data/other.txt",
        "a/../other.txt",
        "/etc/hostname",
        "",
        "file:///etc/hostname",
        `file://${root}/../data/other.txt`,
        `file://${root}/%2e%2e/data/other.txt`,
        `file://${root.replace(tenant, "othertenant")}/theirs.txt`,
        "http://127.0.0.1:1/x",
        "s3://bucket/x",
        "data:,x",
        "other.txt\u0000"
      ]) {
        expect([url, (yield* register("tables/never", { url })).status]).toEqual([url, 404])
      }
      const cure = "in the tenant's data area: give a path below it, such as tables/a.csv, or a file: URL"
      expect((yield* register("tables/never", { url: "gone.txt" })).json).toMatchObject({
        detail: `There is no file "gone.txt" ${cure}`
      })
      expect((yield* register("tables/never", { url: "/a.csv" })).json).toMatchObject({
        detail: `The url "/a.csv" leads to no file ${cure}`
      })
      expect(yield* versions("tables/never")).toEqual([])
      for (const parts of [
        { url: "other.txt", version: "0" },
        { url: "other.txt", version: "1.5" },
        { url: "other.txt", size: "-1" },
        { url: "other.txt", properties: "[1]" },
        { url: "other.txt", properties: "{" },
        { url: "other.txt", encoding: "\u0001" },
        { size: "1" }
      ] as ReadonlyArray<Record<string, string>>) {
        expect([parts, (yield* register("tables/never", parts)).status]).toEqual([parts, 400])
      }
      expect((yield* ask(`${base}/stored?limit=1`)).headers.get("link")).toContain('rel="next"')
    })
  )

  it.effect("are deleted, all versions or one; downloads know ranges", () =>
    Effect.gen(function* () {
      const name = yield* three("gone")
      const remove = (query: string) =>
        Effect.map(ask(`${base}/stored/${name}${query}`, { method: "DELETE" }), ({ status }) => status)
      const part = yield* ask(`${base}/content/${name}`, { headers: { range: "bytes=-1" } })
      expect([part.status, part.text]).toEqual([206, "3"])
      expect([yield* remove("?version=2"), yield* versions(name)]).toEqual([200, [1, 3]])
      expect([yield* remove("?versions=1"), yield* remove("?version[]=1"), yield* remove("?version=")]).toEqual([
        400, 400, 400
      ])
      expect([yield* remove("?version=2"), yield* remove(""), yield* remove("")]).toEqual([404, 200, 404])
      expect(yield* content(name)).toBe(404)
    })
  )

  it.effect("refuse destinations that are no names", () =>
    Effect.gen(function* () {
      const name = yield* three("names")
      for (const destination of ["", "..", "a/../b", "/a", "a//b", "a\\b", "a\u0001", "x".repeat(256)]) {
        expect([destination, (yield* copy(name, { destination })).status]).toEqual([destination, 400])
      }
      for (const destination of ["grüße/日本.txt", "a%2Fb c;d?e#f", "\u202egnp", "__proto__"]) {
        expect([destination, (yield* copy(name, { destination, version: "1" })).status]).toEqual([destination, 201])
        expect(yield* content(encodeURIComponent(destination))).toBe("names 1")
      }
      for (const parts of [
        { destination: "x", version: "one" },
        { destination: "x", embedded: "maybe" },
        { version: "1" }
      ] as ReadonlyArray<Record<string, string>>) {
        expect([parts, (yield* copy(name, parts)).status]).toEqual([parts, 400])
      }
    })
  )

  it.effect("answer a retried copy with the first answer", () =>
    Effect.gen(function* () {
      const name = yield* three("retried")
      const send = (destination: string) =>
        ask(`${base}/copy/${name}`, {
          method: "PUT",
          body: form({ destination }),
          headers: { "idempotency-key": "copy-1" }
        })
      const first = yield* send("retries/a")
      const second = yield* send("retries/a")
      expect([first.status, second.status, second.json]).toEqual([201, 201, first.json])
      expect((yield* send("retries/b")).status).toBe(422)
      expect(yield* versions("retries/b")).toEqual([])
    })
  )

  it.effect("belong to their tenant alone", () =>
    Effect.gen(function* () {
      const name = yield* three("private")
      for (const path of [`stored/${name}`, `content/${name}`]) {
        expect((yield* ask(`/v1/othertenant/resources/${path}`)).status).toBe(404)
      }
      const body = () => form({ destination: "stolen" })
      for (const action of ["copy", "move"]) {
        expect(
          (yield* ask(`/v1/othertenant/resources/${action}/${name}`, { method: "PUT", body: body() })).status
        ).toBe(404)
      }
      expect((yield* ask(`/v1/othertenant/resources/stored/${name}`, { method: "DELETE" })).status).toBe(404)
      expect(yield* versions(name)).toEqual([1, 2, 3])
    })
  )
})

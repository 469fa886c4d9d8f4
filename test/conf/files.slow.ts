import { createHash } from "node:crypto"
import { chmodSync, mkdirSync, utimesSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { configuration } from "../support/conf.ts"
import { type Running, site } from "../support/process-gateway.ts"
import { rawGet, rawRequest } from "../support/socket.ts"

class Configured extends Context.Service<Configured, { readonly gateway: Running; readonly folder: string }>()(
  "test/conf/Configured"
) {
  static readonly layer = Layer.effect(
    Configured,
    Effect.gen(function* () {
      const { root, folderOf } = yield* configuration
      const here = yield* site({ variables: { FLOW_CONF: root } })
      const gateway = yield* Effect.promise(() => here.start())
      return { gateway, folder: folderOf("mytenant") }
    })
  )
}

interface Node {
  readonly parent: string
  readonly path: string
  readonly size: number
  readonly isFile: boolean
  readonly canRead: boolean
  readonly children: Readonly<Record<string, Node>>
}

const treeOf = (port: number, tenant = "mytenant") =>
  Effect.promise(async (): Promise<Readonly<Record<string, Node>>> => {
    const answer = await rawGet(port, `/v1/${tenant}/conf`)
    expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "application/json"])
    return JSON.parse(answer.body.toString("utf8"))
  })

const odd = [
  "with space.txt",
  "per%cent.txt",
  "%2e%2e",
  "hash#.txt",
  "question?.txt",
  "semi;colon=1.txt",
  "grüße-日本語-😀.txt",
  "__proto__",
  "constructor",
  "toString",
  'quote".txt',
  "apos'trophe`.txt",
  "plus+and&.txt",
  "[brackets]{}.txt",
  "a".repeat(255),
  "é".repeat(127),
  "-rf",
  ".hidden",
  "...",
  "..data",
  "*",
  "~",
  "<script>.html"
]

layer(Configured.layer, { excludeTestServices: true })("configuration files", (it) => {
  it.effect("of every odd name are listed and read, each with its own bytes", () =>
    Effect.gen(function* () {
      const { gateway, folder } = yield* Configured
      mkdirSync(join(folder, "odd", "__proto__"), { recursive: true })
      for (const name of odd) {
        if (name !== "__proto__") writeFileSync(join(folder, "odd", name), `content of ${name}`)
        writeFileSync(join(folder, "odd", "__proto__", name), `content of ${name}`)
      }
      writeFileSync(join(folder, "odd", "new\nline"), "n")
      const tree = yield* treeOf(gateway.port)
      const children = new Map(Object.entries(tree["odd"]!.children))
      expect([...children.keys()].sort()).toEqual([...odd, "new\nline"].sort())
      for (const name of odd) {
        for (const path of name === "__proto__" ? [] : [`odd/${name}`, `odd/__proto__/${name}`]) {
          const encoded = path.split("/").map(encodeURIComponent)
          for (const target of [encoded.join("/"), encoded.join("%2F")]) {
            const answer = yield* Effect.promise(() => rawGet(gateway.port, `/v1/mytenant/conf/${target}`))
            expect([target, answer.status]).toEqual([target, 200])
            expect(answer.body.toString("utf8")).toBe(`content of ${name}`)
            expect(answer.headers.get("content-disposition")).toMatch(/^inline; filename=/)
            expect(answer.headers.get("x-content-type-options")).toBe("nosniff")
            expect(answer.headers.get("content-security-policy")).toMatch(/^sandbox allow-same-origin; /)
          }
        }
        const size = name === "__proto__" ? undefined : Buffer.byteLength(`content of ${name}`)
        if (size !== undefined) {
          expect(children.get(name)).toEqual({
            ...{ parent: "odd", path: `odd/${name}`, size, isFile: true, canRead: true, children: {} }
          })
        }
      }
      const tooLong = yield* Effect.promise(() => rawGet(gateway.port, `/v1/mytenant/conf/${"a".repeat(256)}`))
      expect(tooLong.status).toBe(400)
    })
  )

  it.effect("answer ranges, conditions and HEAD, with a media type of their own", () =>
    Effect.gen(function* () {
      const { gateway, folder } = yield* Configured
      const bytes = Buffer.from(Array.from({ length: 1000 }, (_, index) => index % 251))
      writeFileSync(join(folder, "data.bin"), bytes)
      const path = "/v1/mytenant/conf/data.bin"
      const call = (headers: Record<string, string> = {}, method = "GET") =>
        Effect.promise(() => rawRequest(gateway.port, method, path, headers))
      const whole = yield* call()
      const etag = `"${createHash("sha256").update(bytes).digest("hex")}"`
      expect([whole.status, whole.body.equals(bytes), whole.headers.get("etag")]).toEqual([200, true, etag])
      const head = yield* call({}, "HEAD")
      expect([head.status, head.body.length, head.headers.get("content-length")]).toEqual([200, 0, "1000"])
      const part = yield* call({ Range: "bytes=10-19" })
      expect([part.status, part.headers.get("content-range")]).toEqual([206, "bytes 10-19/1000"])
      expect(part.body.equals(bytes.subarray(10, 20))).toBe(true)
      expect((yield* call({ Range: "bytes=-5" })).body.equals(bytes.subarray(995))).toBe(true)
      const beyond = yield* call({ Range: "bytes=1000-" })
      expect([beyond.status, beyond.headers.get("content-range")]).toEqual([416, "bytes */1000"])
      expect(beyond.headers.get("content-type")).toBe("application/problem+json")
      for (const range of ["bytes=a-b", "lines=1-2", "bytes=5-1", `bytes=${"0-1,".repeat(200)}0-1`]) {
        expect([200, 206, 416]).toContain((yield* call({ Range: range })).status)
      }
      const same = yield* call({ "If-None-Match": `W/"x", ${etag}` })
      expect([same.status, same.body.length, same.headers.get("etag")]).toEqual([304, 0, etag])
      expect((yield* call({ "If-Match": '"other"' })).status).toBe(412)
      expect((yield* call({ Range: "bytes=0-0", "If-Range": '"other"' })).status).toBe(200)
      writeFileSync(join(folder, "data.bin"), Buffer.alloc(1000, 7))
      utimesSync(join(folder, "data.bin"), new Date(), new Date())
      expect((yield* call({ "If-None-Match": etag })).status).toBe(200)
      const types = {
        "a.yaml": "application/yaml",
        "b.json": "application/json",
        "c.unknown": "application/octet-stream"
      }
      const more = { "d.log": "text/plain; charset=utf-8", e: "application/octet-stream", "f.png": "image/png" }
      for (const [name, type] of Object.entries({ ...types, ...more, "empty.csv": "text/csv; charset=utf-8" })) {
        writeFileSync(join(folder, name), name.startsWith("empty") ? "" : "x")
        const answer = yield* Effect.promise(() => rawGet(gateway.port, `/v1/mytenant/conf/${name}`))
        expect([name, answer.status, answer.headers.get("content-type")]).toEqual([name, 200, type])
      }
      for (const folderPath of ["sub", "sub/", "sub%2F"]) {
        mkdirSync(join(folder, "sub"), { recursive: true })
        const answer = yield* Effect.promise(() => rawGet(gateway.port, `/v1/mytenant/conf/${folderPath}`))
        expect([folderPath, answer.status]).toEqual([folderPath, 400])
        expect(answer.headers.get("content-type")).toBe("application/problem+json")
        expect(JSON.parse(answer.body.toString())).toMatchObject({ type: "/problems/directory-read", path: "sub" })
      }
    })
  )

  it.effect("are listed by the thousand and a hundred folders deep, with sizes that add up", () =>
    Effect.gen(function* () {
      const { gateway, folder } = yield* Configured
      mkdirSync(join(folder, "many"))
      for (let n = 0; n < 2000; n++) writeFileSync(join(folder, "many", `file-${n}`), "12345")
      const deep = Array.from({ length: 100 }, (_, level) => `d${level}`)
      mkdirSync(join(folder, ...deep), { recursive: true })
      writeFileSync(join(folder, ...deep, "last.txt"), "at the end")
      const tree = yield* treeOf(gateway.port)
      expect(tree["many"]).toMatchObject({ size: 10_000, isFile: false, parent: "", path: "many" })
      expect(Object.keys(tree["many"]!.children)).toHaveLength(2000)
      let node = tree["d0"]!
      for (const name of deep.slice(1)) {
        expect(node).toMatchObject({ isFile: false, size: 10 })
        node = node.children[name]!
      }
      expect(node.children["last.txt"]).toMatchObject({ path: `${deep.join("/")}/last.txt`, parent: deep.join("/") })
      const read = yield* Effect.promise(() => rawGet(gateway.port, `/v1/mytenant/conf/${deep.join("/")}/last.txt`))
      expect(read.body.toString()).toBe("at the end")
      expect(Object.keys(yield* treeOf(gateway.port, "othertenant"))).toEqual(["secret.txt"])
    })
  )

  // Root may read everything: for it there is nothing to see.
  if (process.getuid?.() === 0) return
  it.effect("that may not be read are listed as such, and not found", () =>
    Effect.gen(function* () {
      const { gateway, folder } = yield* Configured
      writeFileSync(join(folder, "closed.txt"), "closed")
      mkdirSync(join(folder, "closed"))
      chmodSync(join(folder, "closed.txt"), 0)
      chmodSync(join(folder, "closed"), 0)
      const tree = yield* treeOf(gateway.port)
      chmodSync(join(folder, "closed"), 0o700)
      expect(tree["closed.txt"]).toMatchObject({ canRead: false, isFile: true })
      expect(tree["closed"]).toMatchObject({ canRead: false, isFile: false, children: {} })
      const answer = yield* Effect.promise(() => rawGet(gateway.port, "/v1/mytenant/conf/closed.txt"))
      expect(answer.status).toBe(404)
    })
  )
})

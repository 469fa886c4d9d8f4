import { createHash } from "node:crypto"
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { ask, build, manifestOf, tenant, upload } from "../resources/support.ts"
import { onBoth, TestGateway } from "../support/gateway.ts"

const sha256 = (bytes: string | Uint8Array) => createHash("sha256").update(bytes).digest("hex")
const base = `/v1/${tenant}/resources`

onBoth("artifacts", (it) => {
  it.effect("are uploaded, described, listed, downloaded and deleted", () =>
    Effect.gen(function* () {
      const { client } = yield* TestGateway
      const given = {
        artifact: "whole",
        description: "A tool",
        displayName: "Tool",
        keywords: ["a", "b"],
        links: [{ name: "home", url: "https://example.org/" }],
        readme: "# Tool",
        changelog: ["first"],
        maintainers: [{ name: "M", email: "m@example.org" }],
        provider: { name: "P" },
        flowVersionCompatible: ["1"],
        properties: { a: { b: [1, null, "x"] }, __proto: 1 }
      }
      const made = yield* upload(given, "hello", "hello.txt")
      expect(made).toMatchObject({ group: "org.example", version: "1.0.0", type: "FILE", ...given })
      expect(made).toMatchObject({ file: "hello.txt", size: 5, sha256: sha256("hello"), content: "hello" })
      expect(made.storage).toEqual({ backend: expect.any(String), url: expect.stringContaining(made.sha256) })
      expect(made.createdAt).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
      const query = { group: "org.example", artifact: "whole" }
      expect(yield* client.resources.metadata({ params: { tenant }, query })).toEqual(made)
      expect(yield* client.resources.list({ params: { tenant }, query })).toEqual([made])
      const download = yield* ask(`${base}/download?group=org.example&artifact=whole`)
      expect([download.status, download.text, download.headers.get("etag")]).toEqual([200, "hello", `"${made.sha256}"`])
      expect(download.headers.get("content-disposition")).toBe('attachment; filename="hello.txt"')
      const part = yield* ask(`${base}/download?group=org.example&artifact=whole`, { headers: { range: "bytes=1-3" } })
      expect([part.status, part.text, part.headers.get("content-range")]).toEqual([206, "ell", "bytes 1-3/5"])
      const head = yield* ask(`${base}/download?group=org.example&artifact=whole`, { method: "HEAD" })
      expect([head.status, head.headers.get("content-length"), head.text]).toEqual([200, "5", ""])
      yield* client.resources.remove({ params: { tenant }, query })
      expect((yield* Effect.flip(client.resources.metadata({ params: { tenant }, query })))._tag).toBe("NotFound")
      expect((yield* Effect.flip(client.resources.remove({ params: { tenant }, query })))._tag).toBe("NotFound")
    })
  )

  it.effect("repeat without harm, and never change", () =>
    Effect.gen(function* () {
      const made = yield* upload({ artifact: "once", keywords: ["a"], readme: "r" })
      expect(yield* upload({ artifact: "once", readme: "r", keywords: ["a"] })).toEqual(made)
      for (const [given, bytes, name] of [
        [{ artifact: "once", keywords: ["a"], readme: "r" }, "other", "build.txt"],
        [{ artifact: "once", keywords: ["b"], readme: "r" }, "build", "build.txt"],
        [{ artifact: "once", keywords: ["a"], readme: "r" }, "build", "other.txt"],
        [{ artifact: "once", keywords: ["a"], readme: "r", type: "PATCH" }, "build", "build.txt"]
      ] as const) {
        const refused = yield* Effect.flip(upload(given, bytes, name))
        expect(refused).toMatchObject({ _tag: "VersionConflict", name: "org.example:once", versions: ["1.0.0"] })
      }
      const absent = { method: "PUT", headers: { "if-none-match": "*" } }
      const given = { artifact: "once", keywords: ["a"], readme: "r" }
      expect((yield* ask(`${base}/upload`, { ...absent, body: build(given) })).status).toBe(412)
      expect((yield* ask(`${base}/upload`, { ...absent, body: build({ ...given, version: "2" }) })).status).toBe(201)
      const metadata = yield* ask(`${base}/metadata?group=org.example&artifact=once&version=1.0.0`)
      expect(metadata.json).toEqual(made)
    })
  )

  it.effect("know their latest version by SemVer, then numbers, then text", () =>
    Effect.gen(function* () {
      const { client } = yield* TestGateway
      const ordered = [
        "abc",
        "1.0.0-alpha",
        "1.0.0-alpha.2",
        "1.0.0-alpha.10",
        "1.0.0-rc.1",
        "1.0.0",
        "1.2",
        "1.10",
        "1.10.1",
        "2",
        "10.0.0"
      ]
      const shuffled = ordered.map((_, at) => ordered[(at * 7) % ordered.length]!)
      for (const [at, version] of shuffled.entries()) {
        yield* upload({ artifact: "order", version }, version)
        const latest = shuffled
          .slice(0, at + 1)
          .sort((a, b) => ordered.indexOf(a) - ordered.indexOf(b))
          .at(-1)
        const found = yield* client.resources.metadata({
          params: { tenant },
          query: { group: "org.example", artifact: "order" }
        })
        expect(found.version).toBe(latest)
      }
      const query = { all: true, artifact: "order" } as const
      const all = yield* client.resources.list({ params: { tenant }, query })
      expect(all.map(({ version }) => version)).toEqual(ordered)
      const remove = (versions: string | ReadonlyArray<string>) =>
        client.resources.remove({ params: { tenant }, query: { group: "org.example", artifact: "order", versions } })
      yield* remove("10.0.0,2")
      const left = yield* client.resources.metadata({
        params: { tenant },
        query: { group: "org.example", artifact: "order" }
      })
      expect(left.version).toBe("1.10.1")
      expect(yield* Effect.flip(remove(["1.10.1", "9", "1.10", "8", "9"]))).toMatchObject({
        _tag: "NotFound",
        id: "org.example:order:9,8",
        detail: "Nothing was deleted, because org.example:order has no version 9, 8"
      })
      expect((yield* client.resources.list({ params: { tenant }, query })).length).toBe(ordered.length - 2)
      yield* remove(["1.10.1", "1.10"])
      expect((yield* client.resources.list({ params: { tenant }, query })).at(-1)?.version).toBe("1.2")
      // What would be ignored elsewhere must not delete everything here.
      for (const query of ["versions=", "versions[]=1.2", "versions%5B0%5D=1.2", "version=1.2", "Versions=1.2"]) {
        const refused = yield* ask(`${base}/delete?group=org.example&artifact=order&${query}`, { method: "DELETE" })
        expect([query, refused.status]).toEqual([query, 400])
      }
      expect((yield* ask(`${base}/delete?group=org.example&artifact=ord*`, { method: "DELETE" })).status).toBe(404)
    })
  )

  it.effect("are told from one another by the tag of their metadata, also when they have one build", () =>
    Effect.gen(function* () {
      for (const version of ["1", "2"]) yield* upload({ artifact: "twins", version }, "one build")
      const metadata = (version: string, headers: Record<string, string> = {}) =>
        ask(`${base}/metadata?group=org.example&artifact=twins&version=${version}`, { headers })
      const tag = (yield* metadata("1")).headers.get("etag") ?? ""
      const again = yield* metadata("1", { "if-none-match": `W/"x", ${tag}` })
      expect([again.status, again.text, again.headers.get("etag")]).toEqual([304, "", tag])
      expect((yield* metadata("2", { "if-none-match": tag })).status).toBe(200)
    })
  )

  it.effect("are listed by wildcards, type and page", () =>
    Effect.gen(function* () {
      const { client, url } = yield* TestGateway
      const names = [
        ["l.a", "one"],
        ["l.a", "two_x"],
        ["l.ab", "one%"],
        ["l.b", "twoAx"]
      ] as const
      for (const [group, artifact] of names) {
        const name = artifact.replace("%", "-")
        yield* upload({ group, artifact: name, type: name === "one" ? "PATCH" : "FILE" })
        yield* upload({ group, artifact: name, version: "2.0.0", type: "FILE" })
      }
      const list = (query: object) =>
        Effect.map(client.resources.list({ params: { tenant }, query: { group: "l.*", ...query } }), (found) =>
          found.map(({ group, artifact, version }) => `${group}:${artifact}:${version}`)
        )
      expect(yield* list({})).toEqual(["l.a:one:2.0.0", "l.a:two_x:2.0.0", "l.ab:one-:2.0.0", "l.b:twoAx:2.0.0"])
      expect(yield* list({ group: "l.a" })).toEqual(["l.a:one:2.0.0", "l.a:two_x:2.0.0"])
      expect(yield* list({ group: "l.a?" })).toEqual(["l.ab:one-:2.0.0"])
      expect(yield* list({ artifact: "two_x" })).toEqual(["l.a:two_x:2.0.0"])
      expect(yield* list({ artifact: "*_*" })).toEqual(["l.a:two_x:2.0.0"])
      expect(yield* list({ artifact: "%" })).toEqual([])
      expect(yield* list({ type: "PATCH" })).toEqual([])
      expect(yield* list({ type: "PATCH", all: true })).toEqual(["l.a:one:1.0.0"])
      const seen: Array<string> = []
      for (let next: string | undefined = `${base}/list?all=true&group=l.*&limit=3`; next !== undefined; ) {
        const page: Effect.Success<ReturnType<typeof ask>> = yield* ask(next)
        seen.push(
          ...(page.json as ReadonlyArray<{ group: string; artifact: string; version: string }>).map(
            (it) => `${it.group}:${it.artifact}:${it.version}`
          )
        )
        const link: string | undefined = /<([^>]*)>; rel="next"/.exec(page.headers.get("link") ?? "")?.[1]
        next = link?.replace(url, "")
        expect(page.json).toHaveLength(next === undefined ? 2 : 3)
      }
      expect(seen).toEqual(yield* list({ all: true }))
      for (const query of ["type=NOPE", "all=maybe", "limit=0", "cursor=abc", "cursor=WyJzdG9yZWQiLCIxIl0"]) {
        expect([query, (yield* ask(`${base}/list?${query}`)).status]).toEqual([query, 400])
      }
    })
  )

  it.effect("hold short texts as content, and nothing else", () =>
    Effect.gen(function* () {
      const content = (bytes: string | Uint8Array<ArrayBuffer>, version: string) =>
        Effect.map(upload({ artifact: "content", version }, bytes), (made) => made.content)
      expect(yield* content("\ufeffä\r\n", "1")).toBe("\ufeffä\r\n")
      expect(yield* content("x".repeat(65_536), "2")).toHaveLength(65_536)
      expect(yield* content("x".repeat(65_537), "3")).toBeUndefined()
      expect(yield* content(Uint8Array.of(0xc3), "4")).toBeUndefined()
      expect(yield* content("a\u0000b", "5")).toBeUndefined()
      expect(yield* content("", "6")).toBe("")
    })
  )

  it.effect("check the digests that are sent", () =>
    Effect.gen(function* () {
      const body = (digest: string, on: "input" | "manifest", version: string) => {
        const field = (name: string) => (name === on ? `\r\nContent-Digest: sha-256=:${digest}:` : "")
        return [
          `--b\r\nContent-Disposition: form-data; name="manifest"; filename="m.json"${field("manifest")}\r\n\r\n${manifestOf({ artifact: "digest", version })}\r\n`,
          `--b\r\nContent-Disposition: form-data; name="input"; filename="i.txt"${field("input")}\r\n\r\nbuild\r\n--b--\r\n`
        ].join("")
      }
      const send = (text: string, headers: Record<string, string> = {}) =>
        Effect.map(
          ask(`${base}/upload`, {
            method: "PUT",
            body: text,
            headers: { "content-type": "multipart/form-data; boundary=b", ...headers }
          }),
          ({ status }) => status
        )
      const right = (text: string) => createHash("sha256").update(text).digest("base64")
      expect(yield* send(body(right("build"), "input", "1"))).toBe(201)
      expect(yield* send(body(right("other"), "input", "2"))).toBe(400)
      expect(yield* send(body(right(manifestOf({ artifact: "digest", version: "3" })), "manifest", "3"))).toBe(201)
      expect(yield* send(body(right("other"), "manifest", "4"))).toBe(400)
      const plain = body("", "input", "5").replace(/\r\nContent-Digest[^\r]*/, "")
      expect(yield* send(plain, { "repr-digest": `sha-256=:${right("other")}:` })).toBe(400)
      const isRight = `sha-256=:${right(plain)}:`
      for (const wrong of [`sha-256=:${right("other")}:`, "sha-256=:?:", `sha-256=${right(plain)}`]) {
        const headers = { "content-digest": isRight, "repr-digest": wrong }
        expect([wrong, yield* send(plain, headers)]).toEqual([wrong, 400])
        const both = body(`${right("build")}:\r\nRepr-Digest: ${wrong.replace(/:$/, "")}`, "input", "6")
        expect([wrong, yield* send(both)]).toEqual([wrong, 400])
      }
      expect(yield* send(plain, { "content-digest": `sha-512=:AA:, ${isRight}`, "repr-digest": isRight })).toBe(201)
      const { json } = yield* ask(`${base}/list?artifact=digest&all=true`)
      expect((json as ReadonlyArray<{ version: string }>).map(({ version }) => version)).toEqual(["1", "3", "5"])
    })
  )

  it.effect("answer a retry with the first answer", () =>
    Effect.gen(function* () {
      const send = (given: object, bytes = "build") =>
        ask(`${base}/upload`, {
          method: "PUT",
          body: build({ artifact: "retry", ...given }, bytes),
          headers: { "idempotency-key": "retry-1" }
        })
      const first = yield* send({})
      yield* ask(`${base}/delete?group=org.example&artifact=retry`, { method: "DELETE" })
      const second = yield* send({})
      expect([first.status, second.status, second.headers.get("idempotency-replayed")]).toEqual([201, 201, "true"])
      expect(second.json).toEqual(first.json)
      expect((yield* send({}, "other")).status).toBe(422)
      expect((yield* send({ version: "2" })).status).toBe(422)
    })
  )

  it.effect("are stored once when the same build comes several times at once, and no other in its place", () =>
    Effect.gen(function* () {
      const send = (bytes: string) =>
        ask(`/v1/${tenant}/resources/upload`, { method: "PUT", body: build({ artifact: "at-once" }, bytes) })
      const all = yield* Effect.forEach(
        Array.from({ length: 12 }, (_, n) => (n % 3 === 0 ? "b" : "a")),
        (bytes) => Effect.map(send(bytes), ({ status, json }) => ({ bytes, status, json })),
        { concurrency: "unbounded" }
      )
      const stored = all.filter(({ status }) => status === 201)
      const [first] = stored
      expect(stored).toEqual(all.filter(({ bytes }) => bytes === first?.bytes))
      for (const { json } of stored) expect(json).toEqual(first?.json)
      for (const { bytes, status } of all) if (bytes !== first?.bytes) expect(status).toBe(422)
    })
  )

  it.effect("belong to their tenant alone", () =>
    Effect.gen(function* () {
      const { client } = yield* TestGateway
      yield* upload({ artifact: "mine" }, "mine")
      yield* upload({ artifact: "mine" }, "theirs", "build.txt", "othertenant")
      const query = { group: "org.example", artifact: "mine" }
      const theirs = yield* client.resources.metadata({ params: { tenant: "othertenant" }, query })
      expect([theirs.content, theirs.storage.url.includes("othertenant")]).toEqual(["theirs", true])
      yield* client.resources.remove({ params: { tenant: "othertenant" }, query })
      expect((yield* client.resources.metadata({ params: { tenant }, query })).content).toBe("mine")
      expect(yield* client.resources.list({ params: { tenant: "othertenant" }, query: {} })).toEqual([])
      expect((yield* ask("/v1/nobody/resources/list")).status).toBe(404)
    })
  )
})

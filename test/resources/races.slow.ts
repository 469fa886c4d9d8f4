import { createHash } from "node:crypto"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { gateway, TestGateway } from "../support/gateway.ts"
import { exchange } from "../support/socket.ts"
import { ask, build, form, tenant, upload } from "./support.ts"

const base = `/v1/${tenant}`
const together = <A, E, R>(effects: ReadonlyArray<Effect.Effect<A, E, R>>) =>
  Effect.all(effects, { concurrency: "unbounded" })
const times = <A>(count: number, make: (at: number) => A) => Array.from({ length: count }, (_, at) => make(at))
const count = (statuses: ReadonlyArray<number>) => {
  const counts: Record<number, number> = {}
  for (const status of statuses) counts[status] = (counts[status] ?? 0) + 1
  return counts
}
const put = (path: string, parts: Record<string, string>) =>
  Effect.map(ask(`${base}/resources/${path}`, { method: "PUT", body: form(parts) }), ({ status }) => status)

const versions = (name: string) =>
  Effect.map(ask(`${base}/resources/stored/${name}`), ({ status, json }) =>
    status === 404
      ? []
      : (json as { metadata: ReadonlyArray<{ version: number }> }).metadata.map(({ version }) => version)
  )

layer(gateway(), { excludeTestServices: true })("many at once", (it) => {
  it.effect("upload one version: one content, its hash the metadata's", () =>
    Effect.gen(function* () {
      for (let round = 0; round < 3; round++) {
        const statuses = yield* together(
          times(10, (at) =>
            Effect.map(
              ask(`${base}/resources/upload`, {
                method: "PUT",
                body: build({ artifact: `race${round}` }, `content ${at}`)
              }),
              ({ status }) => status
            )
          )
        )
        expect(count(statuses)).toEqual({ 201: 1, 422: 9 })
        const query = `group=org.example&artifact=race${round}`
        const { json } = yield* ask(`${base}/resources/metadata?${query}`)
        const { text } = yield* ask(`${base}/resources/download?${query}`)
        expect(json).toMatchObject({ sha256: createHash("sha256").update(text).digest("hex"), content: text })
        // The one stored resource that came with it, and none of those that were refused.
        expect(yield* versions(`org/example/race${round}/build.txt`)).toEqual([1])
      }
    })
  )

  it.effect("upload the same: all are told of the same version", () =>
    Effect.gen(function* () {
      const answers = yield* together(
        times(10, () => ask(`${base}/resources/upload`, { method: "PUT", body: build({ artifact: "same" }) }))
      )
      expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1)
      expect(answers[0]?.status).toBe(201)
    })
  )

  it.effect("register one version: one does, nineteen are refused; the next version: each gets its own", () =>
    Effect.gen(function* () {
      const { settings } = yield* TestGateway
      const root = join(settings.data, "blobs", tenant, "data")
      mkdirSync(root, { recursive: true })
      writeFileSync(join(root, "d"), "d")
      const one = yield* together(times(20, () => put("register/raced", { url: "d", version: "3" })))
      expect(count(one)).toEqual({ 200: 1, 422: 19 })
      const next = yield* together(times(20, () => put("register/raced", { url: "d" })))
      expect(count(next)).toEqual({ 200: 20 })
      expect(yield* versions("raced")).toEqual(times(21, (at) => at + 3))
    })
  )

  it.effect("move A to B and B to A, copy and delete: nothing is lost or doubled", () =>
    Effect.gen(function* () {
      for (let round = 0; round < 4; round++) {
        const [a, b] = [`swap/a${round}`, `swap/b${round}`]
        for (const version of ["1", "2"]) {
          yield* upload({ artifact: `swap${round}`, version }, `${round} ${version}`, "f")
        }
        const from = `org/example/swap${round}/f`
        yield* put(`move/${from}`, { destination: a, version: "1" })
        yield* put(`move/${from}`, { destination: b, version: "2" })
        const statuses = yield* together([
          put(`move/${a}`, { destination: b }),
          put(`move/${b}`, { destination: a }),
          put(`copy/${a}`, { destination: b }),
          put(`copy/${b}`, { destination: a })
        ])
        for (const status of statuses) expect([201, 404, 422]).toContain(status)
        const left = [yield* versions(a), yield* versions(b)]
        // Both versions still exist, each under one name or, copied, under both.
        expect(new Set(left.flat())).toEqual(new Set([1, 2]))
      }
    })
  )

  it.effect("store `a` and `a/b`: one of them is a file, never both", () =>
    Effect.gen(function* () {
      for (let round = 0; round < 4; round++) {
        const paths = [`r${round}`, `r${round}/b`, `r${round}/b/c`, `r${round}/d`]
        const statuses = yield* together(
          paths.map((path) =>
            Effect.map(
              ask(`${base}/registry`, { method: "POST", body: form({ file: { bytes: path }, path }) }),
              ({ status }) => status
            )
          )
        )
        const made = paths.filter((_, at) => statuses[at] === 200)
        expect(made.length).toBeGreaterThan(0)
        for (const path of made) expect(made.filter((other) => other.startsWith(`${path}/`))).toEqual([])
        for (const [at, path] of paths.entries()) {
          const { status } = yield* ask(`${base}/registry/download/${path}`)
          expect([path, status]).toEqual([path, statuses[at] === 200 ? 200 : 404])
        }
      }
    })
  )

  it.effect("store under one path: every one gets a version of its own", () =>
    Effect.gen(function* () {
      const bodies = times(20, (at) => `content ${at}`)
      yield* together(
        bodies.map((bytes) =>
          ask(`${base}/registry`, { method: "POST", body: form({ file: { bytes }, path: "busy" }) })
        )
      )
      const read = yield* together(times(20, (at) => ask(`${base}/registry/download/busy?version=${at + 1}`)))
      expect(new Set(read.map(({ text }) => text))).toEqual(new Set(bodies))
    })
  )

  it.effect("upload and delete the versions of one artifact: the latest is always one that is there", () =>
    Effect.gen(function* () {
      const remove = (version: string) =>
        ask(`${base}/resources/delete?group=org.example&artifact=busy&versions=${version}`, { method: "DELETE" })
      yield* together(
        times(20, (at) =>
          at % 2 === 0
            ? Effect.asVoid(upload({ artifact: "busy", version: `${at}` }))
            : Effect.asVoid(remove(`${at - 1}`))
        )
      )
      const { json } = yield* ask(`${base}/resources/list?artifact=busy&all=true`)
      const left = (json as ReadonlyArray<{ version: string }>).map(({ version }) => version)
      const latest = yield* ask(`${base}/resources/metadata?group=org.example&artifact=busy`)
      expect((latest.json as { version?: string }).version).toBe(left.at(-1))
    })
  )

  it.effect("read while it is deleted: the download ends whole", () =>
    Effect.gen(function* () {
      const bytes = new Uint8Array(8 * 1024 * 1024).fill(7)
      yield* upload({ artifact: "read" }, bytes)
      const { url } = yield* TestGateway
      const answer = yield* Effect.promise(() =>
        fetch(`${url}${base}/resources/download?group=org.example&artifact=read`)
      )
      yield* ask(`${base}/resources/delete?group=org.example&artifact=read`, { method: "DELETE" })
      yield* ask(`${base}/resources/sweep`, { method: "POST" })
      const read = yield* Effect.promise(() => answer.bytes())
      expect(read.length).toBe(bytes.length)
    })
  )
})

layer(gateway({ quota: { bytes: 100, entries: 4 } }), { excludeTestServices: true })("a tenant's limits", (it) => {
  it.effect("are kept however many store at once, and given back by deletes", () =>
    Effect.gen(function* () {
      const store = (path: string, bytes: string) =>
        Effect.map(
          ask(`${base}/registry`, { method: "POST", body: form({ file: { bytes }, path }) }),
          ({ status, json }) => [status, (json as { limit?: string } | undefined)?.limit] as const
        )
      const raced = yield* together(times(8, (at) => store(`q/${at}`, "x".repeat(10))))
      expect(raced.filter(([status]) => status === 200)).toHaveLength(4)
      expect(raced.filter(([status]) => status !== 200)).toEqual(times(4, () => [429, "storedVersions"]))
      const theirs = yield* ask("/v1/othertenant/registry", {
        method: "POST",
        body: form({ file: { bytes: "x" }, path: "p" })
      })
      expect(theirs.status).toBe(200)
      const large = yield* Effect.flip(upload({ artifact: "large" }, "x".repeat(100)))
      expect(large).toMatchObject({ _tag: "TooMany", detail: "The limit storedVersions is 4" })
      expect((yield* ask(`${base}/resources/list`)).json).toEqual([])
    })
  )
})

layer(gateway({ quota: { bytes: 100, entries: undefined } }), { excludeTestServices: true })(
  "a tenant's bytes",
  (it) => {
    it.effect("end an upload that is over them before it is received", () =>
      Effect.gen(function* () {
        const { url } = yield* TestGateway
        for (const [method, path, name] of [
          ["PUT", "resources/upload", "input"],
          ["POST", "registry", "file"]
        ] as const) {
          const head = `${method} ${base}/${path} HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999999\r\n`
          const part = `--x\r\nContent-Disposition: form-data; name="${name}"; filename="f"\r\n\r\n${"x".repeat(101)}`
          const answer = yield* Effect.promise(() =>
            exchange(Number(new URL(url).port), [
              `${head}Content-Type: multipart/form-data; boundary=x\r\nConnection: close\r\n\r\n`,
              part + "x".repeat(1000)
            ])
          )
          expect(answer.status).toBe(413)
          expect(JSON.parse(answer.body.toString())).toMatchObject({
            limit: "storedBytes",
            value: 100,
            used: expect.any(Number),
            key: "tenant:mytenant"
          })
        }
      })
    )

    it.effect("count every version, and not the companion of an artifact", () =>
      Effect.gen(function* () {
        yield* upload({ artifact: "a" }, "x".repeat(60))
        const refused = yield* Effect.flip(upload({ artifact: "a", version: "2" }, "y".repeat(41)))
        expect(refused).toMatchObject({ _tag: "TooLarge", limit: "storedBytes", value: 100 })
        yield* upload({ artifact: "a", version: "2" }, "y".repeat(40))
        expect(yield* put("copy/org/example/a/build.txt", { destination: "c", version: "1" })).toBe(413)
        yield* ask(`${base}/resources/delete?group=org.example&artifact=a&versions=2`, { method: "DELETE" })
        yield* upload({ artifact: "b" }, "z".repeat(40))
        const listed = yield* ask(`${base}/resources/stored`)
        expect((listed.json as ReadonlyArray<{ name: string }>).map(({ name }) => name)).toEqual([
          "org/example/a/build.txt",
          "org/example/b/build.txt"
        ])
      })
    )
  }
)

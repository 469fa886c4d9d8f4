import { createHash } from "node:crypto"
import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { ended, flowlineForm, gateway, onBoth, raw, TestGateway } from "../support/gateway.ts"

const tenant = "mytenant"

const first = `# The first try.
version: "1.0"
type: flowline
runtime: stream # in JavaScript
dag:
  - type: generator_input
    settings: { messages: [hello], count: 1 }
    publish: [ { stream: out } ]
  - type: show
    subscribe: [ { component: generator_input, stream: out } ]
`
/** The same, but for its notation: order of members, comments, line ends. */
const rewritten = first
  .replace("# The first try.\n", "# Tidied up.\n")
  .replace("{ messages: [hello], count: 1 }", "{ count: 1, messages: [ 'hello' ] }")
  .replaceAll("\n", "\r\n")
/** One setting changed, one node removed, one added. */
const second = `# The second try.
version: "1.0"
type: flowline
name: evening
runtime: stream
dag:
  - type: generator_input
    settings: { messages: [good evening], count: 1 }
    publish: [ { stream: out } ]
  - type: show
    component: screen
    subscribe: [ { component: generator_input, stream: out } ]
`

const json = (path: string, init: RequestInit = {}) =>
  Effect.gen(function* () {
    const response = yield* raw(`/v1/${tenant}/${path}`, init)
    const text = yield* Effect.promise(() => response.text())
    return { status: response.status, headers: response.headers, body: text === "" ? undefined : JSON.parse(text) }
  })

const save = (text: string, id?: string, name = "flowline.yaml") =>
  Effect.map(
    json(`flowline/save${id === undefined ? "" : `?id=${id}`}`, { method: "POST", body: flowlineForm(text, name) }),
    ({ body }) => body as { readonly id: string; readonly version: number }
  )

const bytesOf = (id: string, version: number) =>
  Effect.flatMap(raw(`/v1/${tenant}/flowline/${id}/versions/${version}/file`), (response) =>
    Effect.promise(async () => ({ response, bytes: Buffer.from(await response.arrayBuffer()).toString("latin1") }))
  )

onBoth("versions of flowlines", (it) => {
  it.effect("are numbered by the answer of a save, and keep the file to the byte", () =>
    Effect.gen(function* () {
      const { client } = yield* TestGateway
      const saved = yield* save(first)
      expect(saved.version).toBe(1)
      const withMark = `\ufeff${rewritten}`
      expect(yield* save(withMark, saved.id, "späte Ordnung.yml")).toMatchObject({ id: saved.id, version: 2 })
      const params = { tenant, id: saved.id }
      const one = yield* client.flowlines.version({ params: { ...params, version: 1 } })
      expect(one).toMatchObject({
        id: saved.id,
        version: 1,
        current: false,
        original: true,
        filename: "flowline.yaml",
        restored: null,
        size: Buffer.byteLength(first),
        text: first
      })
      expect(one.flowline).toMatchObject({ version: "1.0", runtime: "stream" })
      const record = yield* client.flowlines.get({ params, query: { version: 1 } })
      expect(one.sha256).toBe(createHash("sha256").update(record.source.dag).digest("hex"))
      const sent = yield* bytesOf(saved.id, 2)
      expect(sent.bytes).toBe(Buffer.from(withMark).toString("latin1"))
      expect(sent.response.headers.get("content-type")).toBe("application/yaml")
      expect(sent.response.headers.get("content-disposition")).toContain("UTF-8''sp%C3%A4te%20Ordnung.yml")
      const part = yield* raw(`/v1/${tenant}/flowline/${saved.id}/versions/2/file`, {
        headers: { range: "bytes=3-12" }
      })
      expect([part.status, yield* Effect.promise(() => part.text())]).toEqual([206, "# Tidied u"])
    })
  )

  it.effect("are listed newest first, in pages", () =>
    Effect.gen(function* () {
      const { id } = yield* save(first)
      for (let version = 2; version <= 5; version++) expect((yield* save(first, id)).version).toBe(version)
      const whole = yield* json(`flowline/${id}/versions`)
      expect(whole.body.map((entry: { version: number; current: boolean }) => [entry.version, entry.current])).toEqual([
        [5, true],
        [4, false],
        [3, false],
        [2, false],
        [1, false]
      ])
      const paged: Array<number> = []
      let next: string | undefined = `flowline/${id}/versions?limit=2`
      for (let pages = 0; next !== undefined; pages++) {
        expect(pages).toBeLessThan(4)
        const page: { readonly body: ReadonlyArray<{ readonly version: number }>; readonly headers: Headers } =
          yield* json(next)
        paged.push(...page.body.map(({ version }) => version))
        next = /^<\/v1\/mytenant\/([^>]+)>/.exec(page.headers.get("link") ?? "")?.[1]
      }
      expect(paged).toEqual([5, 4, 3, 2, 1])
      const other = yield* save(first)
      const cursor = /cursor=([^&>]+)/.exec((yield* json(`flowline/${id}/versions?limit=2`)).headers.get("link") ?? "")
      expect((yield* json(`flowline/${other.id}/versions?limit=2&cursor=${cursor?.[1]}`)).status).toBe(400)
    })
  )

  it.effect("are compared: nodes, settings with their pointers, and text", () =>
    Effect.gen(function* () {
      const { client } = yield* TestGateway
      const { id } = yield* save(first)
      yield* save(rewritten, id)
      yield* save(second, id)
      const diff = (version: number, other: number) => client.flowlines.diff({ params: { tenant, id, version, other } })
      const same = yield* diff(1, 2)
      expect(same).toMatchObject({ from: 1, to: 2, same: true, changes: [], original: true, truncated: false })
      expect(same.text).toContain("+# Tidied up.\r\n")
      expect(yield* diff(2, 2)).toMatchObject({ same: true, text: "" })
      const changed = yield* diff(1, 3)
      expect(changed).toMatchObject({
        same: false,
        nodes: {
          added: [{ component: "screen", type: "show", pointer: "/dag/1" }],
          removed: [{ component: "show", type: "show", pointer: "/dag/1" }],
          changed: [
            {
              component: "generator_input",
              pointer: "/dag/0",
              changes: [
                { pointer: "/dag/0/settings/messages/0", change: "changed", before: "hello", after: "good evening" }
              ]
            }
          ]
        },
        changes: [{ pointer: "/name", change: "added", after: "evening" }]
      })
      expect(changed.text.split("\n").slice(0, 5)).toEqual([
        "--- flowline.yaml\tversion 1",
        "+++ flowline.yaml\tversion 3",
        "@@ -1,10 +1,12 @@",
        "-# The first try.",
        "+# The second try."
      ])
    })
  )

  it.effect("are restored as the next version, with the file as it was sent", () =>
    Effect.gen(function* () {
      const { client } = yield* TestGateway
      const { id } = yield* save(first, undefined, "first.yaml")
      yield* save(second, id, "second.yaml")
      const stale = yield* json(`flowline/${id}/versions/1/restore`, {
        method: "POST",
        headers: { "if-match": `"${id}.1"` }
      })
      expect(stale).toMatchObject({ status: 412, body: { type: "/problems/precondition-failed" } })
      const headers = { "if-match": `"${id}.2"`, "idempotency-key": crypto.randomUUID() }
      const restored = yield* json(`flowline/${id}/versions/1/restore`, { method: "POST", headers })
      expect(restored).toMatchObject({ status: 200, body: { id, version: 3, index: "mytenant-flowlines", tenant } })
      expect(restored.headers.get("etag")).toBe(`"${id}.3"`)
      const again = yield* json(`flowline/${id}/versions/1/restore`, { method: "POST", headers })
      expect([again.body, again.headers.get("idempotency-replayed")]).toEqual([restored.body, "true"])
      expect(yield* client.flowlines.version({ params: { tenant, id, version: 3 } })).toMatchObject({
        current: true,
        restored: 1,
        filename: "first.yaml",
        text: first
      })
      expect((yield* client.flowlines.versions({ params: { tenant, id }, query: {} })).length).toBe(3)
      const { id: execution } = yield* client.flowlines.execute({ params: { tenant, id }, query: {} })
      expect(yield* ended(tenant, id, execution)).toMatchObject({ state: "SUCCEEDED" })
    })
  )

  it.effect("that do not exist are not found, nor those of other tenants", () =>
    Effect.gen(function* () {
      const { id } = yield* save(first)
      const missing = { status: 404, body: { kind: "flowline" } }
      for (const path of ["versions/2", "versions/2/file", "versions/1/diff/2", "versions/2/diff/1"]) {
        const found = yield* json(`flowline/${id}/${path}`)
        expect([path, found]).toMatchObject([path, missing])
        expect(found.body.detail).toBe(`There is no version 2 of a flowline "${id}"`)
      }
      for (const path of ["versions", "versions/1", "versions/1/file", "versions/1/diff/1"]) {
        expect(yield* json(`flowline/none/${path}`)).toMatchObject(missing)
        expect((yield* raw(`/v1/othertenant/flowline/${id}/${path}`)).status).toBe(404)
      }
      expect(yield* json(`flowline/${id}/versions/2/restore`, { method: "POST" })).toMatchObject(missing)
      for (const number of ["0", "x", "1e3", "99999999999"]) {
        expect([number, (yield* raw(`/v1/${tenant}/flowline/${id}/versions/${number}`)).status]).toEqual([
          number,
          expect.toSatisfy((status: number) => status === 400 || status === 404)
        ])
      }
      yield* raw(`/v1/${tenant}/flowline/${id}`, { method: "DELETE" })
      expect(yield* json(`flowline/${id}/versions`)).toMatchObject(missing)
    })
  )

  it.effect("of large files with nothing in common are compared, cut off and said so", () =>
    Effect.gen(function* () {
      const { client } = yield* TestGateway
      const large = (word: string) =>
        first.replace(
          "[hello]",
          `[\n${Array.from({ length: 60_000 }, (_, at) => `        ${word}${at}`).join(",\n")} ]`
        )
      const { id } = yield* save(large("one"))
      yield* save(large("two"), id)
      const diff = yield* client.flowlines.diff({ params: { tenant, id, version: 1, other: 2 } })
      expect(diff).toMatchObject({ same: false, truncated: true })
      expect(diff.text.length).toBeLessThanOrEqual(1024 * 1024)
      expect(diff.nodes.changed[0]?.changes).toHaveLength(1000)
    })
  )
})

layer(gateway(), { excludeTestServices: true })("versions from before files were kept", (it) => {
  it.effect("have a text that is made of the definition, say so, and can be restored", () =>
    Effect.gen(function* () {
      const { client } = yield* TestGateway
      const sql = yield* SqlClient.SqlClient
      const { id } = yield* save(first)
      yield* save(second, id)
      yield* sql`update flowline_versions set source = null, filename = null where id = ${id} and version = 1`
      const old = yield* client.flowlines.version({ params: { tenant, id, version: 1 } })
      expect(old).toMatchObject({ original: false, filename: null })
      expect(JSON.parse(old.text)).toEqual(old.flowline)
      expect(old.text.split("\n").length).toBeGreaterThan(10)
      const diff = yield* client.flowlines.diff({ params: { tenant, id, version: 1, other: 2 } })
      expect(diff.original).toBe(false)
      expect(diff.text).toContain('-          "hello"\n+          "good evening"\n')
      expect((yield* bytesOf(id, 1)).bytes).toBe(old.text)
      const restored = yield* json(`flowline/${id}/versions/1/restore`, { method: "POST" })
      expect(restored.body).toMatchObject({ version: 3 })
      expect(yield* client.flowlines.version({ params: { tenant, id, version: 3 } })).toMatchObject({
        original: false,
        restored: 1,
        sha256: old.sha256,
        flowline: old.flowline
      })
    })
  )
})

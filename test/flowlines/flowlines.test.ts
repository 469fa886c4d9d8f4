import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { flowlineForm, onBoth, raw, TestGateway } from "../support/gateway.ts"

const tenant = "mytenant"

const flowline = (name: string) => `
version: "1.0"
type: flowline
name: ${name}
runtime: stream
dag:
  - type: generator_input
    settings: { messages: [hello], count: 1 }
    publish: [ { stream: out } ]
  - type: show
    subscribe: [ { component: generator_input, stream: out } ]
`

const save = (text: string, id?: string, headers: Record<string, string> = {}) =>
  Effect.flatMap(
    raw(`/v1/${tenant}/flowline/save${id === undefined ? "" : `?id=${id}`}`, {
      method: "POST",
      body: flowlineForm(text),
      headers
    }),
    (response) =>
      Effect.map(
        Effect.promise(() => response.json() as Promise<Record<string, unknown>>),
        (body) => ({ status: response.status, etag: response.headers.get("etag"), body, headers: response.headers })
      )
  )

const idOf = (saved: { readonly body: Record<string, unknown> }) => String(saved.body["id"])

onBoth("flowlines", (it) => {
  it.effect("are saved, read, listed and deleted", () =>
    Effect.gen(function* () {
      const { client } = yield* TestGateway
      const saved = yield* client.flowlines.save({
        params: { tenant },
        query: {},
        payload: flowlineForm(flowline("first"))
      })
      expect(saved).toEqual({
        index: "mytenant-flowlines",
        id: expect.stringMatching(/^[A-Za-z0-9][\w-]{19}$/),
        version: 1,
        tenant
      })
      const params = { tenant, id: saved.id }
      const record = yield* client.flowlines.get({ params, query: {} })
      expect(record).toMatchObject({
        index: "mytenant-flowlines",
        id: saved.id,
        source: { tenant, platform_id: "flow-example", "@timestamp": expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/) }
      })
      expect(JSON.parse(record.source.dag)).toMatchObject({ name: "first", runtime: "stream" })
      const entry = (yield* client.flowlines.list({ params: { tenant }, query: {} })).find((e) => e.id === saved.id)
      expect(entry).toMatchObject({ version: 1, platformId: "flow-example", flowline: JSON.parse(record.source.dag) })
      const one = yield* raw(`/v1/${tenant}/flowline/${saved.id}?version=1`, { method: "DELETE" })
      expect(one.status).toBe(400)
      const removed = yield* raw(`/v1/${tenant}/flowline/${saved.id}`, { method: "DELETE" })
      expect([removed.status, yield* Effect.promise(() => removed.text())]).toEqual([201, ""])
      expect(removed.headers.get("content-type")).toBeNull()
      const missing = { _tag: "NotFound", kind: "flowline", status: 404 }
      expect(yield* Effect.flip(client.flowlines.get({ params, query: {} }))).toMatchObject(missing)
      expect(yield* Effect.flip(client.flowlines.remove({ params }))).toMatchObject(missing)
      expect(yield* Effect.flip(client.flowlines.execute({ params, query: {} }))).toMatchObject(missing)
    })
  )

  it.effect("keep every version", () =>
    Effect.gen(function* () {
      const { client } = yield* TestGateway
      const first = yield* save(flowline("one"))
      const id = idOf(first)
      const second = yield* save(flowline("two"), id, { "if-match": String(first.etag) })
      expect([second.status, idOf(second)]).toEqual([200, id])
      expect(second.etag).not.toBe(first.etag)
      const stale = yield* save(flowline("three"), id, { "if-match": String(first.etag) })
      expect(stale).toMatchObject({ status: 412, body: { type: "/problems/precondition-failed" } })
      const nameOf = (version?: number) =>
        Effect.map(
          client.flowlines.get({ params: { tenant, id }, query: version === undefined ? {} : { version } }),
          (record) => JSON.parse(record.source.dag).name
        )
      expect(yield* nameOf()).toBe("two")
      expect(yield* nameOf(1)).toBe("one")
      expect(yield* Effect.flip(nameOf(3))).toMatchObject({ _tag: "NotFound" })
      const unknown = yield* save(flowline("x"), "AAAAAAAAAAAAAAAAAAAA")
      expect(unknown).toMatchObject({ status: 404, body: { kind: "flowline" } })
      const read = yield* raw(`/v1/${tenant}/flowline/${id}`, { headers: { "if-none-match": String(second.etag) } })
      expect(read.status).toBe(304)
    })
  )

  it.effect("give concurrent saves of one flowline different versions", () =>
    Effect.gen(function* () {
      const { client } = yield* TestGateway
      const id = idOf(yield* save(flowline("start")))
      const saves = yield* Effect.all(
        Array.from({ length: 10 }, (_, index) => save(flowline(`v${index}`), id)),
        { concurrency: "unbounded" }
      )
      expect(new Set(saves.map((one) => one.etag)).size).toBe(10)
      const entry = (yield* client.flowlines.list({ params: { tenant }, query: {} })).find((e) => e.id === id)
      expect(entry?.version).toBe(11)
    })
  )

  it.effect("are listed in pages that are together the whole list", () =>
    Effect.gen(function* () {
      const { client, url } = yield* TestGateway
      for (let index = 0; index < 5; index++) yield* save(flowline(`page${index}`))
      const all = (yield* client.flowlines.list({ params: { tenant }, query: {} })).map((entry) => entry.id)
      const paged: Array<string> = []
      let next: string | undefined = `/v1/${tenant}/flowline?limit=2`
      while (next !== undefined) {
        const response: Response = yield* raw(next)
        const page = (yield* Effect.promise(() => response.json())) as Array<{ id: string }>
        expect(page.length).toBeLessThanOrEqual(2)
        paged.push(...page.map((entry) => entry.id))
        next = /^<([^>]+)>; rel="next"$/.exec(response.headers.get("link") ?? "")?.[1]
        expect(paged.length).toBeLessThanOrEqual(all.length)
      }
      expect(paged).toEqual(all)
      const foreign = yield* raw(`/v1/${tenant}/flowline?limit=2&cursor=WyJ4IiwiMSJd`)
      expect(foreign.status).toBe(400)
      expect((yield* raw(`/v1/${tenant}/flowline?limit=0`)).status).toBe(400)
      expect(url).toMatch(/^http:/)
    })
  )

  it.effect("are saved once for an idempotency key", () =>
    Effect.gen(function* () {
      const headers = { "idempotency-key": crypto.randomUUID() }
      const first = yield* save(flowline("once"), undefined, headers)
      const again = yield* save(flowline("once"), undefined, headers)
      expect([again.body, again.etag]).toEqual([first.body, first.etag])
      expect(again.headers.get("idempotency-replayed")).toBe("true")
      const other = yield* save(flowline("other"), undefined, headers)
      expect(other).toMatchObject({ status: 422, body: { type: "/problems/idempotency-key-reused" } })
      const failed = yield* save("runtime: nonsense", undefined, { "idempotency-key": "failed-1" })
      expect(failed.status).toBe(400)
      expect((yield* save(flowline("mended"), undefined, { "idempotency-key": "failed-1" })).status).toBe(200)
    })
  )

  it.effect("of one tenant are nothing to the others", () =>
    Effect.gen(function* () {
      const { client } = yield* TestGateway
      const id = idOf(yield* save(flowline("mine")))
      const params = { tenant: "othertenant", id }
      expect(yield* client.flowlines.list({ params: { tenant: "othertenant" }, query: {} })).toEqual([])
      expect(yield* Effect.flip(client.flowlines.get({ params, query: {} }))).toMatchObject({ status: 404 })
      expect(yield* Effect.flip(client.flowlines.remove({ params }))).toMatchObject({ status: 404 })
      expect(yield* Effect.flip(client.flowlines.execute({ params, query: {} }))).toMatchObject({ status: 404 })
      expect(yield* client.flowlines.get({ params: { tenant, id }, query: {} })).toMatchObject({ id })
    })
  )

  it.effect("that cannot run are refused with all their faults and where they are", () =>
    Effect.gen(function* () {
      const refused = yield* save(`runtime: stream
dag:
  - type: no_such_node
    publish: [ { stream: out } ]
  - type: show
    settings: { colour: red }
    subscribe: [ { component: missing, stream: out } ]
`)
      expect(refused.status).toBe(400)
      expect(refused.headers.get("content-type")).toBe("application/problem+json")
      const issues = refused.body["issues"] as Array<{ pointer: string; line: number; column: number }>
      expect(issues.map(({ pointer }) => pointer)).toEqual(
        expect.arrayContaining([
          "/dag/0/type",
          expect.stringMatching(/^\/dag\/1\/settings/),
          expect.stringMatching(/^\/dag\/1\/subscribe/)
        ])
      )
      expect(issues.find(({ pointer }) => pointer === "/dag/0/type")).toMatchObject({ line: 3, column: 11 })
      for (const text of ["\u0000\u0001", "a: [", "{ x", "- just\n- a list", "42", ""]) {
        const one = yield* save(text)
        expect([text, one.status]).toEqual([text, 400])
        expect((one.body["issues"] as Array<unknown>).length).toBeGreaterThan(0)
      }
    })
  )

  it.effect("refuse forms without a file, and files over the limit", () =>
    Effect.gen(function* () {
      const post = (body: FormData | string, headers: Record<string, string> = {}) =>
        Effect.flatMap(raw(`/v1/${tenant}/flowline/save`, { method: "POST", body, headers }), (response) =>
          Effect.map(
            Effect.promise(() => response.json() as Promise<Record<string, unknown>>),
            (problem) => ({ ...problem, status: response.status })
          )
        )
      const empty = new FormData()
      empty.set("other", "x")
      expect(yield* post(empty)).toMatchObject({ status: 400, issues: [{ part: "file" }, { part: "other" }] })
      expect(yield* post("{}", { "content-type": "application/json" })).toMatchObject({ status: 400 })
      const big = yield* post(flowlineForm("#".repeat(4 * 1024 * 1024 + 1)))
      expect(big).toMatchObject({ status: 413, limit: "flowlineFile", value: 4 * 1024 * 1024 })
    })
  )
})

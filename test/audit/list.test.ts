import { expect } from "@effect/vitest"
import { Effect } from "effect"
import type { AuditEntry } from "../../src/services/audit/Entry.ts"
import { ask } from "../resources/support.ts"
import { flowlineForm, onBoth, raw, TestGateway } from "../support/gateway.ts"
import { generator } from "../support/runs.ts"

const tenant = "mytenant"
const path = `/v1/${tenant}/audit`

type Answered = Effect.Success<ReturnType<typeof ask>>

const save = Effect.flatMap(TestGateway, ({ client }) =>
  client.flowlines.save({ params: { tenant }, query: {}, payload: flowlineForm(generator(1, 1)) })
)

onBoth("the list of the audit", (it) => {
  it.effect("is read as a whole, in pages and in lines, oldest first", () =>
    Effect.gen(function* () {
      const { client } = yield* TestGateway
      const ids: Array<string> = []
      for (let n = 0; n < 5; n++) ids.push((yield* save).id)
      const all = yield* client.audit.list({ params: { tenant }, query: {} })
      const ours = all.filter(({ target }) => ids.includes(target))
      expect(ours.map(({ target }) => target)).toEqual(ids)
      expect(all.map(({ seq }) => seq)).toEqual(all.map((_, at) => at + 1))
      expect(ours[0]).toMatchObject({
        ...{ tenant, action: "flowlines.save", outcome: "done", principal: "anonymous", before: null, count: 1 },
        time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/)
      })
      const pages: Array<AuditEntry> = []
      for (let next: string | undefined = `${path}?limit=2&action=flowlines.save`; next !== undefined; ) {
        const { status, json, headers }: Answered = yield* ask(next)
        expect(status).toBe(200)
        pages.push(...(json as ReadonlyArray<AuditEntry>))
        next = /^<([^>]+)>; rel="next"$/.exec(headers.get("link") ?? "")?.[1]
      }
      expect(pages).toEqual(all.filter(({ action }) => action === "flowlines.save"))
      const lines = yield* raw(path, { headers: { accept: "application/x-ndjson" } })
      expect([lines.status, lines.headers.get("content-type")]).toEqual([200, "application/x-ndjson"])
      const read = (yield* Effect.promise(() => lines.text())).trimEnd().split("\n")
      expect(read.map((line) => JSON.parse(line)).slice(0, all.length)).toEqual(all)
      const first = ours[0]!
      const only = (query: string) =>
        Effect.map(ask(`${path}?${query}`), ({ json }) => (json as ReadonlyArray<AuditEntry>).map(({ seq }) => seq))
      expect(yield* only(`target=${first.target}`)).toEqual([first.seq])
      expect(yield* only(`target=${first.target}&outcome=refused`)).toEqual([])
      expect(yield* only("principal=user:nobody")).toEqual([])
      expect(yield* only("to=2020-01-01T00:00:00Z")).toEqual([])
      expect(yield* only("from=2020-01-01T00:00:00Z&limit=1")).toEqual([1])
      expect((yield* ask("/v1/platform/audit")).json).toEqual([])
      const newest: Array<AuditEntry> = []
      for (let next: string | undefined = `${path}?order=newest&limit=2`; next !== undefined; ) {
        const { json, headers }: Answered = yield* ask(next)
        newest.push(...(json as ReadonlyArray<AuditEntry>))
        next = /^<([^>]+)>; rel="next"$/.exec(headers.get("link") ?? "")?.[1]
      }
      expect(newest.filter(({ seq }) => seq <= all.length)).toEqual(all.toReversed())
      expect(yield* only(`order=newest&target=${first.target}`)).toEqual([first.seq])
    })
  )

  it.effect("says what is wrong with a query", () =>
    Effect.gen(function* () {
      for (const [query, pointer] of [
        ["from=yesterday", "/from"],
        ["to=2026-01-01", "/to"],
        ["to=2026-99-01T00:00:00Z", "/to"],
        ["outcome=maybe", "/outcome"],
        ["limit=0", "/limit"],
        ["cursor=abc", "/cursor"],
        ["what=1", "/what"],
        [`target=${"x".repeat(3000)}`, "/target"]
      ]) {
        const { status, json } = yield* ask(`${path}?${query}`)
        expect([query, status, json]).toMatchObject([query, 400, { issues: [{ part: "query", pointer }] }])
      }
      const cursor = (yield* ask(`${path}?limit=1`)).headers.get("link")?.match(/cursor=([^>&]+)/)?.[1]
      expect((yield* ask(`/v1/othertenant/audit?cursor=${cursor}`)).status).toBe(400)
    })
  )
})

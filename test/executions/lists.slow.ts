import { expect, layer } from "@effect/vitest"
import { Effect, Layer, Stream } from "effect"
import { SqlClient } from "effect/sql"
import { selectExecutions } from "../../src/layers/postgres/stores/ExecutionReads.ts"
import * as ExecutionStorePostgres from "../../src/layers/postgres/stores/PostgresExecutionStore.ts"
import { type ExecutionFilter, ExecutionStore } from "../../src/services/executions/ExecutionStore.ts"
import { FlowlineId } from "../../src/services/shared/FlowlineId.ts"
import { TenantId } from "../../src/services/shared/Tenant.ts"
import { ended, flowlineForm, onBoth, raw, TestGateway } from "../support/gateway.ts"
import { TestPostgres } from "../support/postgres.ts"
import { addVersion } from "../support/versions.ts"

const tenant = "mytenant"

const flowline = (where: string, messages = "one, two") => `
runtime: stream
settings: { failWhen: [ records == 1 ] }
dag:
  - { type: generator_input, settings: { messages: [${messages}], count: ${messages.split(",").length} }, publish: [ { stream: out } ] }
  - { type: filter, settings: { where: "${where}" }, subscribe: [ { component: generator_input, stream: out } ], publish: [ { stream: out } ] }
  - { type: show, subscribe: [ { component: filter, stream: out } ] }
`

onBoth("lists of executions", (it) => {
  it.effect("are filtered by state, outcome, flowline and time, page by page", () =>
    Effect.gen(function* () {
      const { client } = yield* TestGateway
      const run = Effect.fnUntraced(function* (text: string) {
        const { id } = yield* client.flowlines.executeOnce({ params: { tenant }, payload: flowlineForm(text) })
        return yield* ended(tenant, id.slice(0, 20), id)
      })
      const saved = yield* client.flowlines.save({
        params: { tenant },
        query: {},
        payload: flowlineForm(flowline("true"))
      })
      const own: Array<string> = []
      for (let at = 0; at < 3; at++) {
        const { id } = yield* client.flowlines.execute({ params: { tenant, id: saved.id }, query: {} })
        yield* ended(tenant, saved.id, id)
        own.push(id)
      }
      const empty = [yield* run(flowline("false")), yield* run(flowline("false"))]
      const failed = yield* run(flowline("true", "one"))
      const list = (query: object) =>
        Effect.map(client.executions.list({ params: { tenant }, query }), (found) => found.map(({ id }) => id))
      const all = yield* list({})
      expect(all).toEqual([...own, ...empty.map(({ id }) => id), failed.id])
      expect(yield* list({ state: "FAILED" })).toEqual([failed.id])
      expect(yield* list({ state: "RUNNING" })).toEqual([])
      expect(yield* list({ outcome: "nothing" })).toEqual(empty.map(({ id }) => id))
      expect(yield* list({ outcome: "ok" })).toEqual(own)
      expect(yield* list({ outcome: "ok", state: "FAILED" })).toEqual([])
      expect(yield* list({ flowline: saved.id })).toEqual(own)
      expect(yield* list({ order: "oldest" })).toEqual(all)
      expect(yield* list({ order: "newest" })).toEqual(all.toReversed())
      expect(yield* list({ order: "newest", outcome: "ok" })).toEqual(own.toReversed())
      expect(yield* list({ flowline: saved.id, state: "SUCCEEDED" })).toEqual(own)
      expect(yield* list({ flowline: "nobody" })).toEqual([])
      const from = Date.parse(empty[0]!.createdAt)
      const to = Date.parse(failed.createdAt)
      expect(yield* list({ from, to })).toEqual(empty.map(({ id }) => id))
      expect(yield* list({ to: from })).toEqual(own)
      expect(yield* list({ from: to })).toEqual([failed.id])
      const entries = yield* client.executions.listOf({
        params: { tenant, id: saved.id },
        query: { outcome: "ok", from: Date.parse("2020-01-01T00:00:00Z") }
      })
      expect(entries.map(({ id }) => id)).toEqual(own)
      expect(entries[0]).toMatchObject({
        state: "SUCCEEDED",
        outcome: "ok",
        counts: { read: 2, written: 2, rejected: 0, dropped: 0 }
      })

      const pages = Effect.fnUntraced(function* (path: string) {
        const found: Array<string> = []
        for (let next: string | undefined = path; next !== undefined; ) {
          const response: Response = yield* raw(next)
          expect(response.status).toBe(200)
          const page = (yield* Effect.promise(() => response.json())) as ReadonlyArray<{ readonly id: string }>
          expect(page.length).toBe(1)
          found.push(...page.map(({ id }) => id))
          next = /^<(.*)>; rel="next"$/.exec(response.headers.get("link") ?? "")?.[1]
        }
        return found
      })
      const base = `/v1/${tenant}/flowline/executions`
      expect(yield* pages(`${base}?limit=1`)).toEqual(all)
      expect(yield* pages(`${base}?limit=1&state=SUCCEEDED`)).toEqual([...own, ...empty.map(({ id }) => id)])
      expect(yield* pages(`${base}?limit=1&outcome=ok&flowline=${saved.id}&from=2020-01-01`)).toEqual(own)
      expect(yield* pages(`${base}/${saved.id}?limit=1&state=SUCCEEDED`)).toEqual(own)
      expect(yield* pages(`${base}?limit=1&order=newest`)).toEqual(all.toReversed())
      expect(yield* pages(`${base}/${saved.id}?limit=1&order=newest&from=2020-01-01`)).toEqual(own.toReversed())

      // A cursor belongs to the list with its filter.
      const first = yield* raw(`${base}?limit=1&state=SUCCEEDED`)
      const cursor = /cursor=([^&>]+)/.exec(first.headers.get("link") ?? "")?.[1]
      expect((yield* raw(`${base}?limit=1&state=FAILED&cursor=${cursor}`)).status).toBe(400)
      expect((yield* raw(`${base}?limit=1&cursor=${cursor}`)).status).toBe(400)
      for (const wrong of [
        "state=failed",
        "outcome=good",
        "from=yesterday",
        "order=desc",
        "to=2026-13-01",
        "flowline=%00"
      ]) {
        expect([wrong, (yield* raw(`${base}?${wrong}`)).status]).toEqual([wrong, 400])
      }
      expect((yield* raw(`${base}/nobody?state=FAILED`)).status).toBe(404)
    })
  )
})

const rows = 30_000
const states = ["FAILED", "LOST", "CANCELLED"]

interface Plan {
  readonly "Node Type": string
  readonly "Actual Rows": number
  readonly "Rows Removed by Filter"?: number
  readonly Plans?: ReadonlyArray<Plan>
}

/** The rows that a plan has read, of all its nodes. */
const readBy = (plan: Plan): number =>
  (plan.Plans ?? []).reduce((sum, inner) => sum + readBy(inner), 0) +
  (/Scan/.test(plan["Node Type"]) ? plan["Actual Rows"] + (plan["Rows Removed by Filter"] ?? 0) : 0)

layer(ExecutionStorePostgres.layer.pipe(Layer.provideMerge(TestPostgres)), { excludeTestServices: true })(
  "a page of a long list of executions",
  (it) => {
    it.effect("reads about as many rows as it has, whatever is filtered", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const store = yield* ExecutionStore
        const t = TenantId("t")
        for (let n = 0; n < 10; n++) yield* addVersion(t, `f${n}`)
        // One of a thousand has failed, was lost or was cancelled; one of 500 that succeeded did nothing.
        yield* sql`
          insert into executions (tenant, id, flowline_id, version, runtime, state, outcome, created_at, ended_at)
          select 't', 'f' || n % 10 || '-' || n, 'f' || n % 10, 1, 'stream',
            case when n % 1000 < 3 then (${states}::text[])[1 + n % 1000] else 'SUCCEEDED' end,
            case when n % 1000 < 3 then null when n % 500 = 7 then 'nothing' else 'ok' end,
            '2026-01-01T00:00:00Z'::timestamptz + n * interval '1 minute', now()
          from generate_series(0, ${rows - 1}::integer) n`
        yield* sql`analyze executions`
        const from = Date.parse("2026-01-10T00:00:00Z")
        const to = Date.parse("2026-01-10T01:00:00Z")
        const flowlineId = FlowlineId("f1")
        const filters: ReadonlyArray<readonly [ExecutionFilter, number]> = [
          [{}, rows],
          [{ flowlineId }, rows / 10],
          [{ state: "FAILED" }, rows / 1000],
          [{ state: "SUCCEEDED" }, rows - (3 * rows) / 1000],
          [{ outcome: "nothing" }, rows / 500],
          [{ from, to }, 60],
          [{ flowlineId, from, to }, 6],
          [{ flowlineId, state: "LOST" }, rows / 1000],
          [{ state: "SUCCEEDED", from, to }, 60 - 3],
          [{ outcome: "nothing", from }, 34],
          [{ order: "newest" }, rows],
          [{ flowlineId, order: "newest" }, rows / 10],
          [{ state: "FAILED", order: "newest" }, rows / 1000],
          [{ flowlineId, from, to, order: "newest" }, 6]
        ]
        for (const [filter, count] of filters) {
          const all = yield* Stream.runCollect(store.list(t, filter, { after: undefined, limit: undefined }))
          expect([filter, all.length]).toEqual([filter, count])
          const middle = all[Math.floor(all.length / 2)]!.key
          const page = yield* Stream.runCollect(store.list(t, filter, { after: middle, limit: 10 }))
          expect(page).toEqual(all.slice(Math.floor(all.length / 2) + 1).slice(0, 10))
          for (const after of [undefined, middle]) {
            const statement = selectExecutions(sql, sql`id`, t, filter, after, 10)
            const [found] = yield* sql<{ readonly "QUERY PLAN": ReadonlyArray<{ readonly Plan: Plan }> }>`
              explain (analyze, format json) ${statement}`
            const plan = found!["QUERY PLAN"][0]!.Plan
            expect([filter, readBy(plan) <= 100, JSON.stringify(plan).includes("Seq Scan")]).toEqual([
              filter,
              true,
              false
            ])
          }
        }
      })
    )
  }
)

import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { flowlineForm, onBoth, raw, TestGateway } from "../support/gateway.ts"
import { tenantOf } from "../support/runs.ts"

const writing = (count: number, settings: string) => `
runtime: stream
dag:
  - type: generator_input
    settings: { messages: [ { user: ann, n: 1 }, { user: bob, n: 2 }, { n: 3 } ], count: ${count}, rate: 100000 }
    publish: [ { stream: out } ]
  - type: search_output
    settings: ${settings}
    subscribe: [ { component: generator_input, stream: out } ]
    publish: [ { stream: errors } ]
  - type: show
    subscribe: [ { component: search_output, stream: errors } ]
`

const reading = (settings: string) => `
runtime: stream
dag:
  - type: search_input
    settings: ${settings}
    publish: [ { stream: found } ]
  - type: show
    subscribe: [ { component: search_input, stream: found } ]
`

const run = (text: string) =>
  Effect.gen(function* () {
    const { url } = yield* TestGateway
    const tenant = tenantOf(url)
    return yield* Effect.promise(async () => {
      const id = await tenant.run(text)
      const detail = await tenant.ended(id)
      const output = await tenant.get<{ lines: ReadonlyArray<{ text: string }> }>(`flowline/executions/${id}/output`)
      return { ...detail, lines: output.lines.map(({ text }) => JSON.parse(text)) }
    })
  })

onBoth("flowlines that search", (it) => {
  it.effect("write documents and read them back", () =>
    Effect.gen(function* () {
      const first = yield* run(writing(6, "{ index: mytenant-users, id_field: user }"))
      assert.deepInclude(first, { state: "SUCCEEDED", error: null })
      assert.lengthOf(first.lines, 2)
      assert.match(first.lines[0].error.reason, /the field user is missing/)
      const found = yield* run(reading("{ index: mytenant-us*, query: { term: { n: 2 } } }"))
      assert.deepStrictEqual(found.lines, [{ n: 2, user: "bob" }])
      const fields = yield* run(reading("{ index: mytenant-users, fields: [user, none] }"))
      assert.deepStrictEqual(fields.lines, [{ user: "ann" }, { user: "bob" }])
    })
  )

  it.effect("keep every record where there is no id", () =>
    Effect.gen(function* () {
      yield* run(writing(300, "{ index: mytenant-all }"))
      yield* run(writing(300, "{ index: mytenant-all }"))
      const found = yield* run(reading("{ index: mytenant-all, query: { range: { n: { gt: 1 } } } }"))
      assert.strictEqual(found.state, "SUCCEEDED")
      assert.lengthOf(found.lines, 400)
    })
  )

  it.effect("are refused at save for an index that is not the tenant's", () =>
    Effect.gen(function* () {
      const refused = (text: string) =>
        Effect.gen(function* () {
          const answer = yield* raw("/v1/mytenant/flowline/save", { method: "POST", body: flowlineForm(text) })
          const problem = yield* Effect.promise(
            () => answer.json() as Promise<{ issues?: ReadonlyArray<{ pointer: string }> }>
          )
          return [answer.status, ...(problem.issues ?? []).map(({ pointer }) => pointer)]
        })
      for (const index of ["other-users", "mytenant", "mytenant-", "mytenant-UPPER", "mytenant-*", "-mytenant-x"]) {
        const found = yield* refused(writing(1, `{ index: ${index} }`))
        assert.deepStrictEqual(found, [400, "/dag/1/settings/index"], index)
      }
      for (const index of ["other-users", "_all", "'mytenant-a,other-b'", "'mytenant-a,'", "mytenant-UPPER"]) {
        assert.deepStrictEqual(yield* refused(reading(`{ index: ${index} }`)), [400, "/dag/0/settings/index"], index)
      }
      for (const index of ["mytenant-none", "other-*", "'mytenant-*,-mytenant-x'"]) {
        assert.deepStrictEqual(yield* refused(reading(`{ index: ${index} }`)), [200], index)
      }
    })
  )

  it.effect("fail at an index that is not there, and find nothing by a pattern", () =>
    Effect.gen(function* () {
      const missing = yield* run(reading("{ index: mytenant-none }"))
      assert.match(missing.error ?? "", /search_input: There is no index mytenant-none/)
      const nothing = yield* run(reading("{ index: other-* }"))
      assert.deepInclude(nothing, { state: "SUCCEEDED", lines: [] })
    })
  )

  it.effect("are told at save what is wrong with a query", () =>
    Effect.gen(function* () {
      const body = flowlineForm(reading("{ index: mytenant-x, query: { bool: { must: [ { trem: { a: 1 } } ] } } }"))
      const answer = yield* raw("/v1/mytenant/flowline/save", { method: "POST", body })
      const problem = yield* Effect.promise(
        () => answer.json() as Promise<{ issues: ReadonlyArray<{ pointer: string; detail: string }> }>
      )
      assert.strictEqual(answer.status, 400)
      assert.strictEqual(problem.issues[0]?.pointer, "/dag/0/settings/query/bool/must/0/trem")
      assert.match(problem.issues[0]?.detail ?? "", /did you mean "term"/)
    })
  )

  it.effect("work in analytics", () =>
    Effect.gen(function* () {
      yield* run(writing(6, "{ index: mytenant-batch, id_field: user }"))
      const text = `
runtime: analytics
dag:
  - type: search_input
    settings: { index: mytenant-batch }
    publish: [ { stream: found } ]
  - type: sql
    settings: { statement: "SELECT user AS who, n * 10 AS n FROM search_input" }
    subscribe: [ { component: search_input, stream: found } ]
    publish: [ { stream: out } ]
  - type: search_output
    settings: { index: mytenant-result, id_field: who }
    subscribe: [ { component: sql, stream: out } ]
`
      assert.strictEqual((yield* run(text)).error, null)
      const found = yield* run(reading("{ index: mytenant-result }"))
      assert.deepStrictEqual(found.lines, [
        { who: "ann", n: 10 },
        { who: "bob", n: 20 }
      ])
    })
  )
})

import { assert, layer, type Vitest } from "@effect/vitest"
import { Effect, Stream } from "effect"
import { Search } from "../../src/drivers/search/Search.ts"
import { all } from "../../src/languages/query/Query.ts"
import { flowlineForm, gateway, memoryGateway, raw, TestGateway } from "../support/gateway.ts"
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
  - type: search_output
    component: all
    settings: { index: mytenant-all }
    subscribe: [ { component: generator_input, stream: out } ]
`

/** Shows the results of each input, one after the other. */
const reading = (...inputs: ReadonlyArray<string>) => `
runtime: stream
dag:
${inputs
  .map(
    (settings, at) => `
  - type: search_input
    component: in${at}
    settings: ${settings}
    publish: [ { stream: found } ]
  - type: show
    component: found${at}
    subscribe: [ { component: in${at}, stream: found } ]
`
  )
  .join("")}`

const run = (text: string) =>
  Effect.gen(function* () {
    const { url } = yield* TestGateway
    const tenant = tenantOf(url)
    return yield* Effect.promise(async () => {
      const id = await tenant.run(text)
      const detail = await tenant.ended(id)
      const output = await tenant.get<{ lines: ReadonlyArray<{ component: string; text: string }> }>(
        `flowline/executions/${id}/output`
      )
      return { ...detail, lines: output.lines.map((line) => ({ ...line, text: JSON.parse(line.text) })) }
    })
  })

const suite = (it: Vitest.MethodsNonLive<Search | TestGateway>) => {
  it.effect("write documents and read them back, and keep every record where there is no id", () =>
    Effect.gen(function* () {
      for (const _ of [1, 2]) {
        const wrote = yield* run(writing(150, "{ index: mytenant-users, id_field: user }"))
        assert.deepInclude(wrote, { state: "SUCCEEDED", error: null })
        assert.lengthOf(wrote.lines, 50)
        assert.match(wrote.lines[0]?.text.error.reason, /the field user is missing/)
      }
      const { state, lines } = yield* run(
        reading(
          "{ index: mytenant-us*, query: { term: { n: 2 } } }",
          "{ index: mytenant-users, fields: [user, none] }",
          "{ index: mytenant-all, query: { range: { n: { gt: 1 } } } }",
          "{ index: other-* }"
        )
      )
      assert.strictEqual(state, "SUCCEEDED")
      const found = (at: number) => lines.filter(({ component }) => component === `found${at}`).map(({ text }) => text)
      assert.deepStrictEqual(found(0), [{ n: 2, user: "bob" }])
      assert.deepStrictEqual(found(1), [{ user: "ann" }, { user: "bob" }])
      assert.lengthOf(found(2), 200)
      assert.deepStrictEqual(found(3), [])
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

  it.effect("fail at an index that is not there", () =>
    Effect.gen(function* () {
      const missing = yield* run(reading("{ index: mytenant-none }"))
      assert.match(missing.error ?? "", /in0: There is no index mytenant-none/)
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
      const search = yield* Search
      const written = ["ann", "bob"].map((user, at) => ({ id: user, source: { user, n: at + 1 } }))
      yield* search.write("mytenant", "mytenant-batch", written)
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
      const found = yield* Stream.runCollect(search.read("mytenant", "mytenant-result", all))
      assert.deepStrictEqual(
        found.map(({ source }) => JSON.parse(source)),
        [
          { who: "ann", n: 10 },
          { who: "bob", n: 20 }
        ]
      )
    })
  )
}

layer(gateway(), { excludeTestServices: true })("flowlines that search on PostgreSQL, disk and processes", suite)
layer(memoryGateway(), { excludeTestServices: true })("flowlines that search in memory", suite)

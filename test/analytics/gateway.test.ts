import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { ended, flowlineForm, onBoth, raw, TestGateway } from "../support/gateway.ts"

const tenant = "mytenant"

const flowline = (statement: string) => `
runtime: analytics
dag:
  - type: dataset_generator
    component: cities
    settings: { rows: [ { city: Brno, population: 402739 }, { city: Oslo, population: 717710 } ] }
    publish: [ { stream: out } ]
  - type: sql
    component: large
    settings:
      statement: |
        ${statement.replaceAll("\n", "\n        ")}
    subscribe: [ { component: cities, stream: out } ]
    publish: [ { stream: out } ]
  - type: show
    subscribe: [ { component: large, stream: out } ]
`

const refusal = (text: string) =>
  Effect.map(
    Effect.flatMap(raw(`/v1/${tenant}/flowline/save`, { method: "POST", body: flowlineForm(text) }), (response) =>
      Effect.promise(async () => ({ status: response.status, body: (await response.json()) as { issues?: unknown } }))
    ),
    ({ status, body }) => ({ status, issues: body.issues })
  )

onBoth("analytics flowlines", (it) => {
  it.effect("are refused with the place of what is wrong in their SQL", () =>
    Effect.gen(function* () {
      const pointer = "/dag/1/settings/statement"
      const at = (line: number, column: number, detail: string) => ({
        status: 400,
        issues: [{ pointer, line, column, detail }]
      })
      expect(yield* refusal(flowline("SELECT city\nFORM cities"))).toEqual(
        at(13, 14, 'SQL: syntax error at or near "cities"')
      )
      expect(yield* refusal(flowline("SELECT *\nFROM towns"))).toEqual(
        at(13, 14, 'There is no view "towns": there is "cities_out", "cities"')
      )
      expect(yield* refusal(flowline("SELECT * FROM read_text('/etc/passwd')"))).toEqual(
        at(12, 23, 'The function "read_text" is not available')
      )
      expect(yield* refusal(flowline("DROP TABLE cities"))).toMatchObject({ status: 400 })
      expect(yield* refusal(flowline("SELECT 1; SELECT 2"))).toEqual(at(12, 9, "One statement is allowed, not 2"))
    })
  )

  it.effect("alone write Parquet, and follow no files", () =>
    Effect.gen(function* () {
      const of = (runtime: string, output: string, follow: boolean) => `
runtime: ${runtime}
dag:
  - type: file_input
    settings: { path: a.log, follow: ${follow} }
    publish: [ { stream: out } ]
  - type: file_output
    settings: { ${output} }
    subscribe: [ { component: file_input, stream: out } ]
`
      const issues = (text: string) => Effect.map(refusal(text), (refused) => refused.issues)
      expect(yield* issues(of("stream", "path: a.parquet", false))).toMatchObject([{ pointer: "/dag/1/settings/path" }])
      expect(yield* issues(of("stream", "path: a, format: parquet", true))).toMatchObject([
        { pointer: "/dag/1/settings/format" }
      ])
      expect(yield* issues(of("analytics", "path: a.parquet", true))).toMatchObject([
        { pointer: "/dag/0/settings/follow" }
      ])
      expect(yield* issues(of("analytics", "path: a.parquet", false))).toBeUndefined()
    })
  )

  it.effect("run, and show what they found", () =>
    Effect.gen(function* () {
      const { client } = yield* TestGateway
      const { id } = yield* client.flowlines.save({
        params: { tenant },
        query: {},
        payload: flowlineForm(flowline("SELECT city FROM cities WHERE population > 500000"))
      })
      const execution = yield* client.flowlines.execute({ params: { tenant, id }, query: {} })
      expect(yield* ended(tenant, id, execution.id)).toMatchObject({
        state: "SUCCEEDED",
        runtime: "analytics",
        event: "analytics.application.end",
        nodes: [
          { component: "cities", recordsIn: 0, recordsOut: 2, errors: 0 },
          { component: "large", recordsIn: 2, recordsOut: 1, errors: 0 },
          { component: "show", recordsIn: 1, recordsOut: 0, errors: 0 }
        ]
      })
      const output = yield* client.executions.output({ params: { tenant, id: execution.id }, query: {} })
      expect(output.lines.map(({ text }) => text)).toEqual(["city", "----", "Oslo"])
    })
  )
})

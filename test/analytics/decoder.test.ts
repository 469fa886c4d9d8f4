import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import * as Threads from "../../src/layers/decoder/Threads.ts"
import { FlowlineDecoder } from "../../src/services/flowlines/Decoder.ts"

const file = (statement: string, type = "sql") => ({
  name: "flowline.json",
  bytes: new TextEncoder().encode(
    JSON.stringify({
      runtime: "analytics",
      dag: [
        { type: "dataset_generator", settings: { rows: [] }, publish: [{ stream: "out" }] },
        {
          type: "TYPE",
          component: "query",
          settings: { statement },
          subscribe: [{ component: "dataset_generator", stream: "out" }],
          publish: [{ stream: "out" }]
        },
        { type: "show", subscribe: [{ component: "query", stream: "out" }] }
      ]
    }).replace("TYPE", type)
  )
})

layer(Threads.layer, { excludeTestServices: true })("the SQL of a flowline file", (it) => {
  it.effect("is read, also when the file hides the word", () =>
    Effect.gen(function* () {
      const { decode } = yield* FlowlineDecoder
      expect((yield* decode(file("FROM dataset_generator"))).flowline.dag).toHaveLength(3)
      for (const type of ["sql", "\\u0073ql"]) {
        const { issues } = yield* Effect.flip(decode(file("FROM elsewhere", type)))
        expect(issues).toMatchObject([{ pointer: "/dag/1/settings/statement" }])
      }
    })
  )

  it.effect("is given up without harm when nobody waits for it, or when its process dies", () =>
    Effect.gen(function* () {
      const { decode } = yield* FlowlineDecoder
      const large = file(`SELECT 1${", a + 1".repeat(150_000)} FROM dataset_generator`)
      for (const millis of [20, 100, 250]) yield* Effect.timeoutOption(decode(large), millis)
      expect((yield* decode(file("FROM dataset_generator"))).flowline.dag).toHaveLength(3)
    })
  )
})

import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { analytics, node, within } from "./support.ts"

describe("a csv file with many columns", () => {
  it.live("is read in little memory", () =>
    Effect.gen(function* () {
      const count = 800
      const values = ["1.5", "2026-01-02", "2026-01-02T03:04:05Z", "true"]
      const row = (cell: (at: number) => string) => Array.from({ length: count }, (_, at) => cell(at)).join(",")
      const content = `${row((at) => `c${at}`)}\n${row((at) => values[at % 4]!)}\n`
      const flowline = analytics([
        node("in", "file_input", { path: "a.csv" }),
        node("last", "sql", { statement: `SELECT typeof(c${count - 1}) AS type FROM "in"` }, ["in"]),
        node("shown", "show", { format: "json" }, ["last"])
      ])
      const { error, lines } = yield* within(flowline, { "a.csv": content }, 96)
      assert.deepStrictEqual([error, lines], [undefined, ['{"type":"BOOLEAN"}']])
    })
  )
})

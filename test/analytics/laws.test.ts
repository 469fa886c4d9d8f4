import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { seed } from "../support/random.ts"
import { analytics, node, within } from "./support.ts"

const keys = ["a", "b", "__proto__", "x.y", 'q"u', "ключ"] as const

const text = Schema.String.check(Schema.makeFilter((value: string) => value.isWellFormed()))
const Scalar = Schema.Union([text, Schema.Int, Schema.Finite, Schema.Boolean, Schema.Null])
const Value = Schema.Union([Scalar, Schema.Array(Scalar).check(Schema.isMaxLength(3))])
const Rows = Schema.NonEmptyArray(
  Schema.Array(Schema.Tuple([Schema.Literals(keys), Value])).check(Schema.isMinLength(1), Schema.isMaxLength(5))
).check(Schema.isMaxLength(12))

const parsed = (ndjson: string): ReadonlyArray<unknown> =>
  ndjson
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line))

/** Members that are not there are NULL. */
const filled = (rows: ReadonlyArray<Record<string, unknown>>) => {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))]
  // `-0` is 0 in JSON.
  return rows.map((row) =>
    JSON.parse(
      JSON.stringify(Object.fromEntries(names.map((name) => [name, Object.hasOwn(row, name) ? row[name] : null])))
    )
  )
}

describe("records", () => {
  it.effect.prop(
    "pass through a flowline as they are, in their order",
    { pairs: Rows },
    ({ pairs }) =>
      Effect.gen(function* () {
        const rows = pairs.map((row) => Object.fromEntries(row))
        const flowline = analytics([
          node("in", "file_input", { path: "in.ndjson" }),
          node("same", "sql", { statement: 'SELECT * FROM "in"' }, ["in"]),
          node("again", "sql", { statement: "FROM same" }, ["same"]),
          node("out", "file_output", { path: "out.ndjson" }, ["again"])
        ])
        const text = rows.map((row) => `${JSON.stringify(row)}\n`).join("")
        const { error, written } = yield* within(flowline, { "in.ndjson": text })
        assert.strictEqual(error, undefined)
        assert.deepStrictEqual(parsed(written.get("out.ndjson") ?? ""), filled(rows))
      }).pipe(Effect.scoped),
    { arbitrary: { seed, runs: 20 } }
  )
})

import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { analytics, node, run } from "./support.ts"

describe("an analytics flowline", () => {
  it.live("reads files, queries them, prints, and leaves files and an archive, all counted", () =>
    Effect.gen(function* () {
      const flowline = analytics([
        node("orders", "file_input", { path: "in/orders.csv" }),
        node("users", "file_input", { path: "in/*.ndjson" }),
        node("cities", "dataset_generator", {
          rows: [
            { id: 1, city: "Brno" },
            { id: 2, city: "Oslo" }
          ]
        }),
        node(
          "joined",
          "sql",
          {
            statement:
              "SELECT cities.city, sum(amount) AS total, count(*) AS n\nFROM orders JOIN users_out AS users USING (user)\nJOIN cities ON cities.id = users.city\nGROUP BY ALL ORDER BY city; -- done"
          },
          ["orders", "users", "cities"]
        ),
        node("shown", "show", {}, ["joined"]),
        node("file", "file_output", { path: "out/totals.csv" }, ["joined"]),
        node("entry", "archive_output", { entry: "totals.ndjson" }, ["joined"]),
        node("raw", "archive_output", { entry: "cities.parquet" }, ["cities"])
      ])
      const { outcome, error, lines, counters, file, entries } = yield* run(flowline, {
        "in/orders.csv": "user,amount\na,1.5\nb,2\na,3\n",
        "in/1.ndjson": '{"user":"a","city":1}\n',
        "in/2.ndjson": '{"user":"b","city":2}\n{"user":"c","city":2,"more":true}\n'
      })
      assert.deepStrictEqual([outcome, error], ["succeeded", undefined])
      assert.deepStrictEqual(lines, ["city | total | n", "-----+-------+--", "Brno |   4.5 | 2", "Oslo |   2.0 | 1"])
      assert.strictEqual(
        (yield* Effect.promise(() => file("out/totals.csv"))).toString(),
        "city,total,n\nBrno,4.5,2\nOslo,2.0,1\n"
      )
      assert.deepStrictEqual([...entries.keys()].sort(), ["cities.parquet", "totals.ndjson"])
      assert.strictEqual(
        entries.get("totals.ndjson")?.toString(),
        '{"city":"Brno","total":4.5,"n":2}\n{"city":"Oslo","total":2.0,"n":1}\n'
      )
      assert.deepStrictEqual(counters, {
        orders: { recordsIn: 0, recordsOut: 3, errors: 0 },
        users: { recordsIn: 0, recordsOut: 3, errors: 0 },
        cities: { recordsIn: 0, recordsOut: 2, errors: 0 },
        joined: { recordsIn: 8, recordsOut: 2, errors: 0 },
        shown: { recordsIn: 2, recordsOut: 0, errors: 0 },
        file: { recordsIn: 2, recordsOut: 0, errors: 0 },
        entry: { recordsIn: 2, recordsOut: 0, errors: 0 },
        raw: { recordsIn: 2, recordsOut: 0, errors: 0 }
      })
    })
  )
})

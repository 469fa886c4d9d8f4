import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { analytics, node, reading, run, within } from "./support.ts"

/** One value of each type that is hard to keep. */
const values = `SELECT
  9223372036854775807 AS "big", -17014118346046923173168730371588410572 AS "huge",
  12345678901234567890.123456789 AS "decimal", 1.50::DECIMAL(10, 2) AS "money",
  'nan'::DOUBLE AS "nan", 'inf'::DOUBLE AS "inf", '-inf'::DOUBLE AS "minus", 0.1 + 0.2 AS "sum", 0.1::DOUBLE + 0.2 AS "double",
  TIMESTAMP '2026-01-02 03:04:05' AS "at", TIMESTAMP '2026-01-02 03:04:05.123456' AS "micros",
  TIMESTAMPTZ '2026-01-02 03:04:05.5+02' AS "zoned", TIMESTAMP_NS '2026-01-02 03:04:05.123456789' AS "nanos",
  DATE '2026-01-02' AS "day",
  TIME '03:04:05' AS "time", TIME '16:13:38.820' AS "millis", [TIME '16:13:38.1', TIME '16:13:38.000120', NULL] AS "hours", INTERVAL 3 DAYS AS "span",
  '\\xAA\\x00a'::BLOB AS "blob", [1, NULL, 3] AS "list", {'x y': 1, 'at': TIMESTAMP '2026-01-02 03:04:05'} AS "struct",
  MAP {'k': 1.5::DOUBLE, 'n': 'nan'::DOUBLE} AS "map", [TIMESTAMP '2026-01-02 03:04:05'] AS "times",
  NULL AS "null", '' AS "empty", 'ä "quoted", \n,line' AS "text", true AS "yes",
  'a'::ENUM('a', 'b') AS "enum", '101'::BIT AS "bits", '{"n": 12345678901234567890.5}'::JSON AS "json",
  UUID '550e8400-e29b-41d4-a716-446655440000' AS "uuid",
  1 AS "__proto__", 2 AS "a.b", 3 AS "it's ""quoted""", 4 AS "dup", 5 AS "dup", 6 AS "DUP"`

const record = [
  '"big":9223372036854775807',
  '"huge":-17014118346046923173168730371588410572',
  '"decimal":12345678901234567890.123456789',
  '"money":1.5',
  '"nan":"NaN"',
  '"inf":"Infinity"',
  '"minus":"-Infinity"',
  '"sum":0.3',
  '"double":0.30000000000000004',
  '"at":"2026-01-02T03:04:05.000Z"',
  '"micros":"2026-01-02T03:04:05.123456Z"',
  '"zoned":"2026-01-02T01:04:05.500Z"',
  '"nanos":"2026-01-02T03:04:05.123456789Z"',
  '"day":"2026-01-02"',
  '"time":"03:04:05"',
  '"millis":"16:13:38.820"',
  '"hours":["16:13:38.100","16:13:38.000120",null]',
  '"span":"3 days"',
  '"blob":"qgBh"',
  '"list":[1,null,3]',
  '"struct":{"x y":1,"at":"2026-01-02T03:04:05.000Z"}',
  '"map":{"k":1.5,"n":"NaN"}',
  '"times":["2026-01-02T03:04:05.000Z"]',
  '"null":null',
  '"empty":""',
  '"text":"ä \\"quoted\\", \\n,line"',
  '"yes":true',
  '"enum":"a"',
  '"bits":"101"',
  '"json":{"n": 12345678901234567890.5}',
  '"uuid":"550e8400-e29b-41d4-a716-446655440000"',
  '"__proto__":1',
  '"a.b":2',
  '"it\'s \\"quoted\\"":3',
  '"dup":4',
  '"dup_1":5',
  '"DUP_2":6'
]

describe("values", () => {
  it.live("are written whole to ndjson, csv, Parquet and the output, and come back from Parquet as they were", () =>
    Effect.gen(function* () {
      const { error, entries, lines, file } = yield* run(
        analytics([
          node("rows", "dataset_generator", { rows: [{ a: 1 }] }),
          node("query", "sql", { statement: values }, ["rows"]),
          node("shown", "show", { format: "json" }, ["query"]),
          node("ndjson", "archive_output", { entry: "v.ndjson" }, ["query"]),
          node("csv", "archive_output", { entry: "v.csv" }, ["query"]),
          node("some", "archive_output", { entry: "some.csv", columns: ["struct.x y", "none", "at"] }, ["query"]),
          node("one", "archive_output", { entry: "one.csv", columns: ["none"] }, ["query"]),
          node("lines", "archive_output", { entry: "v.log" }, ["query"]),
          node("parquet", "file_output", { path: "v.parquet" }, ["query"])
        ])
      )
      assert.strictEqual(error, undefined)
      assert.deepStrictEqual(lines, [`{${record.join(",")}}`])
      assert.strictEqual(entries.get("v.ndjson")?.toString(), `${lines[0]}\n`)
      assert.strictEqual(entries.get("v.log")?.toString(), `${lines[0]}\n`)
      assert.strictEqual(entries.get("some.csv")?.toString(), "struct.x y,none,at\n1,,2026-01-02T03:04:05.000Z\n")
      // As other runtimes write it: an empty line would be no record.
      assert.strictEqual(entries.get("one.csv")?.toString(), 'none\n""\n')
      const csv = entries.get("v.csv")?.toString() ?? ""
      assert.include(csv, "9223372036854775807,-17014118346046923173168730371588410572,12345678901234567890.123456789,")
      assert.include(csv, "1.50,NaN,Infinity,-Infinity,")
      assert.include(
        csv,
        ',2026-01-02,03:04:05,16:13:38.820,"[""16:13:38.100"",""16:13:38.000120"",null]",3 days,qgBh,"[1,null,3]","{""x y"":1,""at"":""2026-01-02T03:04:05.000Z""}",'
      )
      assert.include(csv, ',,"","ä ""quoted"", \n,line",true,a,101,"{""n"": 12345678901234567890.5}",')
      const parquet = yield* Effect.promise(() => file("v.parquet"))
      assert.strictEqual(parquet.subarray(0, 4).toString(), "PAR1")
      assert.deepStrictEqual(yield* reading("v.parquet", parquet), [`{${record.join(",")}}`])
    })
  )

  it.live("of csv are no formulas of spreadsheets, as in other runtimes", () =>
    Effect.gen(function* () {
      const cells = ["=1+1", "@SUM(A1)", "+1", "-1.5e3", "-1+1", "\tx", "\rx", "", "a=1"]
      const statement = `SELECT *, a::ENUM ('${cells.join("', '")}') AS "@timestamp", -7 AS "=n" FROM rows`
      const { error, entries } = yield* run(
        analytics([
          node("rows", "dataset_generator", { rows: cells.map((a) => ({ a })) }),
          node("query", "sql", { statement }, ["rows"]),
          node("csv", "archive_output", { entry: "v.csv" }, ["query"])
        ])
      )
      assert.strictEqual(error, undefined)
      const texts = ["'=1+1", "'@SUM(A1)", "+1", "-1.5e3", "'-1+1", "'\tx", '"\'\rx"', '""', "a=1"]
      const rows = texts.map((text) => `${text},${text},-7\n`)
      assert.strictEqual(entries.get("v.csv")?.toString(), `a,@timestamp,'=n\n${rows.join("")}`)
    })
  )

  it.live("that Parquet cannot hold fail with a reason, not with another value", () =>
    Effect.gen(function* () {
      const { error } = yield* within(
        analytics([
          node("rows", "dataset_generator", { rows: [{ a: 1 }] }),
          node("query", "sql", { statement: "SELECT 170141183460469231731687303715884105727 AS n" }, ["rows"]),
          node("parquet", "archive_output", { entry: "v.parquet" }, ["query"])
        ])
      )
      assert.match(error ?? "", /DECIMAL\(38,0\)/)
    })
  )
})

import { gzipSync } from "node:zlib"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { maxLineLength } from "../../src/nodes/formats/LineSplitter.ts"
import { analytics, node, reading, within } from "./support.ts"

const latin = (text: string) => Buffer.from(text, "latin1")

/** Files, with the output of reading them or the failure. */
const cases: ReadonlyArray<
  readonly [name: string, path: string, content: string | Uint8Array, outcome: string | ReadonlyArray<string>]
> = [
  [
    "csv with types",
    "a.csv",
    "n,f,t,zip\n1,1.5,x,007\n,,,\n",
    ['{"n":1,"f":1.5,"t":"x","zip":"007"}', '{"n":null,"f":null,"t":null,"zip":null}']
  ],
  ["csv with CRLF and quotes", "a.csv", 'a,b\r\n"1\r\n2","say ""hi"""\r\n', ['{"a":"1\\r\\n2","b":"say \\"hi\\""}']],
  ["csv that tells nothing from an empty text", "a.csv", 'a,b\n"",1\n,2\n', ['{"a":"","b":1}', '{"a":null,"b":2}']],
  [
    "csv with odd names",
    "a.csv",
    '__proto__,a.b,"q""u",dup,dup,\n1,2,3,4,5,6\n',
    ['{"__proto__":1,"a.b":2,"q\\"u":3,"dup":4,"dup_1":5,"column5":6}']
  ],
  ["csv with a header only", "a.csv", "a,b\n", []],
  ["csv without anything", "a.csv", "", []],
  [
    "csv with dates",
    "a.csv",
    "d,t\n2026-01-02,2026-01-02T03:04:05Z\n",
    ['{"d":"2026-01-02","t":"2026-01-02T03:04:05.000Z"}']
  ],
  ["csv with a short row", "a.csv", "a,b\n1,2\n3\n", "in: a.csv, line 3: the header has 2 columns, the row 1"],
  ["csv with a long row", "a.csv", "a,b\n1,2\n3,4,5\n", "in: a.csv, line 3: the header has 2 columns, the row 3"],
  ["csv with an open quote", "a.csv", 'a,b\n1,"2\n3,4\n', "in: a.csv, line 2: a quote is not closed"],
  ["csv in latin-1", "a.csv", latin("a,b\n1,\xe4\n"), "in: a.csv, line 2: the text is not UTF-8"],
  [
    "ndjson with types",
    "a.ndjson",
    '{"i":1,"f":1.5,"s":"x","o":{"k":[1,2]},"n":null}\n',
    ['{"i":1,"f":1.5,"s":"x","o":{"k":[1,2]},"n":null}']
  ],
  [
    "ndjson whose texts look like something else",
    "a.ndjson",
    '{"d":"2026-1-2","t":"03:04:05","u":"550E8400-E29B-41D4-A716-446655440000","n":"12","e":""}\n',
    ['{"d":"2026-1-2","t":"03:04:05","u":"550E8400-E29B-41D4-A716-446655440000","n":"12","e":""}']
  ],
  [
    "ndjson with large integers",
    "a.ndjson",
    '{"a":9223372036854775807,"b":18446744073709551615}\n',
    ['{"a":9223372036854775807,"b":18446744073709551615}']
  ],
  [
    "csv with integers beyond 64 bits",
    "a.csv",
    "a\n1\n12345678901234567890\n",
    ['{"a":1}', '{"a":12345678901234567890}']
  ],
  [
    "csv with a row that is too long",
    "a.csv",
    `a\n"${"x".repeat(3_000_000)}"\n`,
    "in: a.csv, line 2: the row is longer than 2000000 bytes"
  ],
  [
    "csv with a row that is too long behind others",
    "a.csv",
    `a,b\n1,"\n\n"\n\n3,${"x".repeat(2_500_000)}\n5,6\n`,
    "in: a.csv, line 6: the row is longer than 2000000 bytes"
  ],
  [
    "csv with a short row behind lines in quotes",
    "a.csv",
    `a,b\n${'1,"x""\n\n"\n'.repeat(100_000)}3\n`,
    "in: a.csv, line 300002: the header has 2 columns, the row 1"
  ],
  [
    "csv with an open quote behind lines in quotes",
    "a.csv",
    'a,b\n1,"\n"\n3,"4\n\n',
    "in: a.csv, line 4: a quote is not closed"
  ],
  [
    "csv in latin-1 behind lines in quotes",
    "a.csv",
    latin('a,b\n1,"\n"\n3,\xe4\n'),
    "in: a.csv, line 4: the text is not UTF-8"
  ],
  ["csv of one column with empty lines", "a.csv", "a\n1\n\n2\n\n", ['{"a":1}', '{"a":2}']],
  ["csv of one column with empty texts", "a.csv", 'a\r\nx\r\n""\r\n\r\n', ['{"a":"x"}', '{"a":""}']],
  ["csv of one column with dates", "a.csv", "a\n\n2026-01-02\n\n", ['{"a":"2026-01-02"}']],
  ["csv of two columns with empty lines", "a.csv", "a,b\n\n1,2\n\n,\n", ['{"a":1,"b":2}', '{"a":null,"b":null}']],
  ["csv with a byte order mark", "a.csv", "\ufeffa\n1\n", ['{"a":1}']],
  [
    "ndjson with integers beyond 64 bits",
    "a.ndjson",
    '{"a":12345678901234567890123,"b":1.5}\n{"a":1,"b":12345678901234567890123}\n',
    ['{"a":12345678901234567890123,"b":1.5}', '{"a":1,"b":12345678901234567890123}']
  ],
  ["csv with a byte order mark only", "a.csv", "\ufeff", []],
  ["ndjson with a byte order mark only", "a.ndjson", "\ufeff", []],
  ["lines with a byte order mark only", "a.log", "\ufeff", []],
  ["ndjson with a byte order mark", "a.ndjson", '\ufeff{"a":1}\n', ['{"a":1}']],
  ["ndjson with blank lines only", "a.ndjson", "\n\n", []],
  ["ndjson with empty records only", "a.ndjson", "{}\n", "in: There are no columns, because no record has a member"],
  [
    "ndjson with many members",
    "a.ndjson",
    `${JSON.stringify(Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`k${i}`, i])))}\n`,
    [JSON.stringify(Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`k${i}`, i])))]
  ],
  [
    "ndjson with texts and mixed types inside of others",
    "a.ndjson",
    '{"o":{"UUID":"550E8400-E29B-41D4-A716-446655440000","x":[1,{"y":2}]}}\n',
    ['{"o":{"UUID":"550E8400-E29B-41D4-A716-446655440000","x":[1,{"y":2}]}}']
  ],
  ["ndjson with names that differ in case", "a.ndjson", '{"a":1,"A":2}\n', ['{"a":1,"A_1":2}']],
  [
    "ndjson with mixed types",
    "a.ndjson",
    '{"a":1}\n{"a":"x"}\n{"a":{"b":1}}\n',
    ['{"a":1}', '{"a":"x"}', '{"a":{"b":1}}']
  ],
  [
    "ndjson with members that come and go",
    "a.ndjson",
    '{"a":1}\r\n\r\n{"b":2,"__proto__":3}\r\n',
    ['{"a":1,"b":null,"__proto__":null}', '{"a":null,"b":2,"__proto__":3}']
  ],
  ["ndjson without anything", "a.ndjson", "", []],
  ["ndjson with a faulty line", "a.ndjson", '{"a":1}\n{"a":\n', "in: a.ndjson, line 2: the line is not JSON"],
  ["ndjson with a list", "a.ndjson", '{"a":1}\n[1]\n', "in: a.ndjson, line 2: the line is JSON, but not an object"],
  ["ndjson in latin-1", "a.ndjson", latin('{"a":"\xe4"}\n'), "in: a.ndjson: the text is not UTF-8"],
  [
    "lines",
    "a.log",
    'a,"b"\r\n\r\n\\x\rmore\nlast',
    ['{"message":"a,\\"b\\""}', '{"message":""}', '{"message":"\\\\x\\rmore"}', '{"message":"last"}']
  ],
  ["lines in latin-1", "a.log", latin("\xe4\n"), ['{"message":"\ufffd"}']],
  ["lines without anything", "a.log", "", []],
  [
    "a line that is too long",
    "a.log",
    `${"x".repeat(maxLineLength + 1)}\nok\n`,
    [
      '{"message":"ok"}',
      `{"message":"${"x".repeat(256)}","error":{"node":"in","reason":"the line is longer than ${maxLineLength} characters"}}`
    ]
  ],
  ["gzip of several members", "a.csv.gz", Buffer.concat([gzipSync("a\n1\n"), gzipSync("2\n")]), ['{"a":1}', '{"a":2}']],
  [
    "gzip that is cut short",
    "a.ndjson.gz",
    gzipSync('{"a":1}\n'.repeat(1000)).subarray(0, 40),
    'in: The file "a.ndjson.gz" is truncated'
  ],
  ["gzip that is none", "a.log.gz", "plain", 'in: The file "a.log.gz" is not a valid gzip file'],
  ["parquet that is none", "a.parquet", "PAR1", "in: a.parquet: File 'a.parquet' too small to be a Parquet file"]
]

describe("an input file", () => {
  for (const [name, path, content, outcome] of cases) {
    it.live(name, () =>
      Effect.gen(function* () {
        assert.deepStrictEqual(yield* reading(path, content), outcome)
      })
    )
  }
})

describe("an input file in UTF-16", () => {
  it.live("has no record when it is its byte order mark only", () =>
    Effect.gen(function* () {
      for (const path of ["a.csv", "a.ndjson", "a.log"]) {
        assert.deepStrictEqual(yield* reading(path, Buffer.from([0xff, 0xfe]), { encoding: "utf-16" }), [])
      }
    })
  )
})

describe("a stored file", () => {
  it.live("is read by its name in the registry or as an artifact, decompressed, in its format", () =>
    Effect.gen(function* () {
      const flowline = analytics([
        node("in", "file_input", { registry: "stored/a.csv.gz" }),
        node("shown", "show", { format: "json" }, ["in"])
      ])
      const { error, lines } = yield* within(flowline, { "stored/a.csv.gz": gzipSync("a\n1\n") })
      assert.deepStrictEqual([error, lines], [undefined, ['{"a":1}']])
    })
  )
})

describe("many input files", () => {
  it.live("are read in one, whatever their names, and counted", () =>
    Effect.gen(function* () {
      const tree = Object.fromEntries(Array.from({ length: 210 }, (_, i) => [`in/[${i}] *?.csv`, `a,b${i}\n${i},x\n`]))
      const flowline = analytics([
        node("in", "file_input", { path: "in/*" }),
        node("sum", "sql", { statement: 'SELECT count(*) AS n, sum(a) AS a, max(b209) AS b FROM "in"' }, ["in"]),
        node("shown", "show", { format: "json" }, ["sum"])
      ])
      const { error, lines, counters } = yield* within(flowline, tree)
      assert.deepStrictEqual([error, lines], [undefined, [`{"n":210,"a":${(209 * 210) / 2},"b":"x"}`]])
      assert.strictEqual(counters.get("in")?.recordsOut, 210)
    })
  )

  it.live("are counted without the empty lines of one column, in which stream flowlines find no records either", () =>
    Effect.gen(function* () {
      const flowline = analytics([
        node("in", "file_input", { path: "*.csv" }),
        node("sum", "sql", { statement: 'SELECT count(*) AS n, sum(a) AS a FROM "in"' }, ["in"]),
        node("shown", "show", { format: "json" }, ["sum"])
      ])
      const { lines, counters } = yield* within(flowline, { "a.csv": "a\n1\n\n2\n", "b.csv": "a\n\n3\n" })
      assert.deepStrictEqual([lines, counters.get("in")?.recordsOut], [['{"n":3,"a":6}'], 3])
    })
  )

  it.live("are read whole for their types: nothing that comes late is rounded or lost", () =>
    Effect.gen(function* () {
      const query = (path: string, statement: string) =>
        analytics([
          node("rows", "file_input", { path }),
          node("query", "sql", { statement }, ["rows"]),
          node("shown", "show", { format: "json" }, ["query"])
        ])
      const sums = "SELECT sum(a) AS a, count(*) AS n, typeof(any_value(a)) AS type FROM rows"
      const csv = yield* within(query("a.csv", sums), { "a.csv": `a\n${"1\n".repeat(100_000)}1.5\n` })
      assert.deepStrictEqual(csv.lines, ['{"a":100001.5,"n":100001,"type":"DOUBLE"}'])
      const late = { "a.ndjson": `${'{"a":1}\n'.repeat(50_000)}{"a":1.5,"b":"x"}\n` }
      const ndjson = yield* within(query("a.ndjson", `${sums.replace("sum", "max(b) AS b, sum")}`), late)
      assert.deepStrictEqual(ndjson.lines, ['{"b":"x","a":50001.5,"n":50001,"type":"DOUBLE"}'])
      const texts = yield* within(query("a.csv", "SELECT max(a) AS a FROM rows"), {
        "a.csv": `a\n${"1\n".repeat(100_000)}x\n`
      })
      assert.deepStrictEqual(texts.lines, ['{"a":"x"}'])
    })
  )
})

import { gzipSync, zstdCompressSync } from "node:zlib"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { analytics, node, within } from "./support.ts"

/** What SQL sees of a file. */
const select = (path: string, content: Uint8Array | string, settings: object, statement: string) =>
  within(
    analytics([
      node("rows", "file_input", { path, ...settings }),
      node("query", "sql", { statement }, ["rows"]),
      node("shown", "show", { format: "json" }, ["query"])
    ]),
    { [path]: content }
  )

const utf16 = (text: string) => Buffer.from(`\ufeff${text}`, "utf16le").swap16()
const latin = (text: string) => Buffer.from(text, "latin1")
const trace = "a\r\n\tat b\r\n\tat c\r\nd\r\n"

describe("an input in analytics", () => {
  const cases: ReadonlyArray<readonly [string, string, Uint8Array | string, object, string, ReadonlyArray<string>]> = [
    ["csv in Latin-1", "a.csv", latin("a,b\n1,é\n"), { encoding: "latin1" }, "FROM rows", ['{"a":1,"b":"é"}']],
    ["csv in UTF-16", "a.csv", utf16("a,b\n1,€\n"), { encoding: "utf-16" }, "FROM rows", ['{"a":1,"b":"€"}']],
    ["ndjson in UTF-16", "a.ndjson", utf16('{"a":"é"}\n'), { encoding: "utf-16" }, "FROM rows", ['{"a":"é"}']],
    [
      "lines in Windows-1252, compressed",
      "a.log.gz",
      gzipSync(Buffer.from([0x80, 0x0a, 0x61])),
      { encoding: "windows-1252" },
      "FROM rows",
      ['{"message":"€"}', '{"message":"a"}']
    ],
    ["lines in zstd", "a.log.zst", zstdCompressSync("a\nb\n"), {}, "FROM rows", ['{"message":"a"}', '{"message":"b"}']],
    ["csv in zstd", "a.csv.zst", zstdCompressSync("a\n1\n"), {}, "FROM rows", ['{"a":1}']],
    [
      "lines that belong together, with their places",
      "a.log.zst",
      zstdCompressSync(trace),
      { multiline: { continuation: "^\\s" }, source: true },
      "SELECT message, tags, _source.line AS line, _source['offset'] AS byte FROM rows ORDER BY byte",
      [
        '{"message":"a\\n\\tat b\\n\\tat c","tags":null,"line":1,"byte":0}',
        '{"message":"d","tags":null,"line":4,"byte":17}'
      ]
    ],
    [
      "no lines at all",
      "a.log",
      "",
      { multiline: { continuation: "^\\s" }, source: true },
      "SELECT count(message) AS n, max(_source.line) AS line, max(tags[1]) AS tag FROM rows",
      ['{"n":0,"line":null,"tag":null}']
    ],
    [
      "ndjson with places",
      "a.ndjson",
      '{"a":1}\n{"a":2}\n',
      { source: true },
      "SELECT sum(a) AS a, max(_source.line) AS line, any_value(_source.file) AS file FROM rows",
      ['{"a":3,"line":2,"file":"a.ndjson"}']
    ]
  ]
  for (const [name, path, content, settings, statement, wanted] of cases) {
    it.live(`reads ${name}`, () =>
      Effect.gen(function* () {
        const { error, lines } = yield* select(path, content, settings, statement)
        assert.deepStrictEqual([error, lines], [undefined, wanted])
      })
    )
  }

  it.live("says where records are from that it rejects, and SQL keeps what it selects", () =>
    Effect.gen(function* () {
      const dag = analytics([
        node("rows", "file_input", { path: "a.ndjson", source: true }, [], ["out", "errors"]),
        node("good", "sql", { statement: "SELECT a, _source FROM rows_out" }, ["rows"]),
        node("shown", "show", { format: "json" }, ["good"]),
        node("bad", "show", { format: "json" }, [["rows", "errors"]])
      ])
      const { error, lines } = yield* within(dag, { "a.ndjson": '{"a":1}\nno JSON\n' })
      assert.isUndefined(error)
      const places = lines.map((line) => JSON.parse(line)._source).sort((a, b) => a.line - b.line)
      assert.deepStrictEqual(places, [
        { file: "a.ndjson", line: 1, offset: 0 },
        { file: "a.ndjson", line: 2, offset: 8 }
      ])
    })
  )

  it.live("counts replaced bytes, and warns", () =>
    Effect.gen(function* () {
      for (const settings of [{}, { source: true }]) {
        const { counters } = yield* select("a.log", latin("é\nü\n"), settings, "FROM rows")
        assert.strictEqual(counters.get("rows")?.replacedBytes, 2)
        assert.include(counters.get("rows")?.warning, "2 bytes")
      }
    })
  )
})

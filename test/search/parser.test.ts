import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { placeOf } from "../../src/languages/query/Instant.ts"
import { parseQuery } from "../../src/languages/query/QueryParser.ts"
import { holds } from "../memory/Evaluate.ts"

const now = Date.parse("2026-11-21T10:20:30.456Z")

/** Whether a query finds a document. */
const finds = (query: unknown, document: Record<string, unknown>): boolean => {
  const parsed = parseQuery(query, now)
  if (Result.isFailure(parsed)) throw new Error(JSON.stringify(parsed.failure))
  return holds(parsed.success, { id: "id-1", index: "t-logs", at: placeOf(document["@timestamp"]), value: document })
}

const faults = (query: unknown): ReadonlyArray<string> => {
  const parsed = parseQuery(query, now, "/filters")
  return Result.isFailure(parsed) ? parsed.failure.map(({ pointer = "", detail }) => `${pointer}: ${detail}`) : []
}

describe("a query", () => {
  const table: ReadonlyArray<readonly [query: object, document: Record<string, unknown>, found: boolean]> = [
    [{}, {}, true],
    [{ term: { a: 5 } }, { a: "5" }, true],
    [{ term: { a: "5" } }, { a: 5 }, true],
    [{ term: { a: "Error" } }, { a: "error" }, false],
    [{ term: { a: { value: "Error", case_insensitive: true } } }, { a: "error" }, true],
    [{ term: { a: "x" } }, { a: ["y", "x"] }, true],
    [{ term: { "a.b": "x" } }, { a: [{ b: "y" }, { b: "x" }] }, true],
    [{ term: { "a.b": "x" } }, { "a.b": "x" }, true],
    [{ terms: { a: [] } }, { a: "x" }, false],
    [{ term: { _id: "id-1" } }, {}, true],
    [{ exists: { field: "a" } }, { a: [] }, false],
    [{ exists: { field: "a" } }, { a: [null] }, false],
    [{ exists: { field: "a" } }, { a: "" }, true],
    [{ exists: { field: "a" } }, { a: { b: { c: false } } }, true],
    [{ bool: { must_not: [{ term: { a: 1 } }] } }, {}, true],
    [{ bool: { should: [{ term: { a: 1 } }] } }, {}, false],
    [{ bool: { must: [{ match_all: {} }], should: [{ term: { a: 1 } }] } }, {}, true],
    [{ bool: { must: { match_all: {} }, should: [{ term: { a: 1 } }], minimum_should_match: 1 } }, {}, false],
    [{ bool: {} }, {}, true],
    [{ range: { a: { gte: 5, lt: 6 } } }, { a: 5.5 }, true],
    [{ range: { a: { gte: "10" } } }, { a: 9 }, false],
    [{ range: { a: { gte: "2026-03-10", lte: "2026-03-10" } } }, { a: "2026-03-10T23:59:59.999Z" }, true],
    [{ range: { a: { gt: "2026-03-10" } } }, { a: "2026-03-10T23:59:59.999Z" }, false],
    [{ range: { a: { gte: 1773100800000, format: "epoch_millis" } } }, { a: "2026-03-10T00:00:00Z" }, true],
    [{ range: { "@timestamp": { gte: "now-1d/d" } } }, { "@timestamp": "2026-11-20T00:00:00Z" }, true],
    [{ range: { "@timestamp": { gte: "now-1d/d" } } }, { "@timestamp": "2026-11-19T23:59:59Z" }, false],
    [{ range: { "@timestamp": { lt: "10/03/2026", format: "dd/MM/yyyy" } } }, { "@timestamp": "2026-03-09" }, true],
    [
      { range: { a: { gte: "2026-03-10 01:02:03.123456", format: "yyyy-MM-dd HH:mm:ss.SSSSSS" } } },
      { a: "2026-03-10T01:02:03.123Z" },
      true
    ],
    [{ range: { a: { lt: "2026-03-10 01.5", format: "yyyy-MM-dd ss.S" } } }, { a: "2026-03-10" }, true],
    [{ range: { a: { gte: "2026-03-10T00:00:00", time_zone: "Europe/Paris" } } }, { a: "2026-03-09T23:00:00Z" }, true],
    [{ match: { a: "disk FULL" } }, { a: "the disk, again" }, true],
    [{ match: { a: { query: "disk FULL", operator: "and" } } }, { a: "the disk, again" }, false],
    [{ match: { a: "10.0.0.1" } }, { a: "from 10.0.0.1:80" }, true],
    [{ match: { a: "10" } }, { a: "from 10.0.0.1" }, false],
    [{ match: { a: "404" } }, { a: 404 }, true],
    [{ match: { a: "été" } }, { a: "L'ÉTÉ" }, false],
    [{ match: { a: "été" } }, { a: "un ÉTÉ." }, true],
    [{ match_phrase: { a: "disk full" } }, { a: "Disk  full!" }, true],
    [{ match_phrase: { a: "full disk" } }, { a: "disk full" }, false],
    [{ match: { a: "日本" } }, { a: "本を読む" }, true],
    [{ match: { a: { query: "日本", operator: "and" } } }, { a: "本を読む" }, false],
    [{ match: { a: "テキスト" } }, { a: "日本語のテキストです" }, true],
    [{ match: { a: "テキ" } }, { a: "日本語のテキストです" }, false],
    [{ match: { a: "abc" } }, { a: "漢abc字" }, true],
    [{ match_phrase: { a: "日本語" } }, { a: "新日本語テキスト" }, true],
    [{ match_phrase: { a: "本日" } }, { a: "日本" }, false],
    [{ match_phrase: { a: "漢 abc" } }, { a: "漢abc" }, true],
    [{ match_phrase: { a: "漢 abc" } }, { a: "漢abcd" }, false],
    [{ query_string: { query: "a:日本" } }, { a: "新日本" }, true],
    [{ multi_match: { query: "x", fields: ["a^2", "b"] } }, { b: "x y" }, true],
    [{ prefix: { a: "ab" } }, { a: "abc" }, true],
    [{ wildcard: { a: "a?c*" } }, { a: "abc\nd" }, true],
    [{ wildcard: { a: "a\\*c" } }, { a: "abc" }, false],
    [{ query_string: { query: "a:x AND NOT b:y" } }, { a: "x", b: "z" }, true],
    [{ query_string: { query: "a:x AND NOT b:y" } }, { a: "x", b: "y" }, false],
    [{ query_string: { query: 'a:("disk full" OR none*)' } }, { a: "nonesuch here" }, true],
    [{ query_string: { query: "+a:x -b:y z" } }, { a: "x" }, true],
    [{ query_string: { query: "a:[2 TO 5} AND b:>=3" } }, { a: 5, b: 3 }, false],
    [{ query_string: { query: "one two", default_operator: "AND" } }, { a: "one", b: { c: "two" } }, true],
    [{ query_string: { query: "one two", default_field: "a" } }, { b: "two" }, false],
    [{ query_string: { query: 'a:"AND" ANDx and \\\\OR' } }, { a: "and" }, true],
    [{ query_string: { query: "*:*" } }, {}, true],
    [{ query_string: { query: "_exists_:a" } }, { b: 1 }, false],
    [{ query_string: { query: "path:\\/a\\/b" } }, { path: "/a/b" }, true],
    [{ query_string: { query: "a:l\\u0061st" } }, { a: "at last" }, true],
    [{ query_string: { query: '\\u0061:"x\\u0020y"' } }, { a: "x y" }, true],
    [{ query_string: { query: "a:\\u0041b*" } }, { a: "Abc" }, true],
    [{ query_string: { query: "a:\\u002a" } }, { a: "b" }, false],
    [{ query_string: { query: "a:\\uD83D\\uDE00*" } }, { a: "😀x" }, true],
    [{ query_string: { query: "a:\\\\u0061" } }, { a: "\\u0061" }, true],
    [{ query_string: { query: "_exists_:\\u0061" } }, { a: "b" }, true],
    [{ query_string: { query: 'a:["c\\:\\\\x\\\\" TO "c\\:\\\\x\\\\z\\""]' } }, { a: "c:\\x\\m" }, true],
    [{ query_string: { query: 'a:>="c\\:\\\\x"' } }, { a: "c:\\x" }, true],
    [{ query_string: { query: 'a:["*" TO "*"]' } }, { a: "*" }, true],
    [{ query_string: { query: 'a:["*" TO "*"]' } }, { a: "b" }, false],
    [{ query_string: { query: "a:[\\* TO b]" } }, { a: "!" }, false],
    [{ query_string: { query: "a:[* TO b]" } }, { a: "!" }, true],
    [{ query_string: { query: "NOT a:1" } }, {}, true],
    [{ query_string: { query: "NOT NOT a:1" } }, { a: 1 }, true],
    [{ query_string: { query: "@timestamp:2026-03-10" } }, { "@timestamp": "2026-03-10T14:00:00+01:00" }, true],
    [{ term: { "@timestamp": "2026-03-10" } }, { "@timestamp": 1773151947000 }, true],
    [{ term: { "@timestamp": 1773151947000 } }, { "@timestamp": "2026-03-10T15:12:27+01:00" }, true],
    [{ term: { "@timestamp": 1773151947000 } }, { "@timestamp": "2026-03-10T15:12:27.001+01:00" }, false],
    [{ term: { "@timestamp": "none" } }, { "@timestamp": "none" }, true],
    [{ terms: { "@timestamp": ["2026-03-09", "x"] } }, { "@timestamp": "2026-03-10" }, false],
    [{ match: { "@timestamp": "now-1d/d" } }, { "@timestamp": "2026-11-20T09:00:00Z" }, true],
    [{ range: { a: { gt: "2026-03" } } }, { a: "2026-03-01T23:59:59.999Z" }, false],
    [{ range: { a: { gt: "2026-03" } } }, { a: "2026-03-02" }, true],
    [{ range: { a: { lte: 1773100800, format: "epoch_second" } } }, { a: "2026-03-10T00:00:00.999Z" }, true],
    [{ bool: { must: [{ match_all: {} }], minimum_should_match: 1 } }, {}, false],
    [{ bool: { should: [{ term: { a: 1 } }], must_not: [{ term: { b: 1 } }] } }, { b: 2 }, false],
    [{ simple_query_string: { query: "x | y", fields: ["a"] } }, { a: "y" }, true],
    [{ simple_query_string: { query: "x + y", fields: ["a"] } }, { a: "y" }, false],
    [{ simple_query_string: { query: "x +y", fields: ["a"] } }, { a: "y" }, false],
    [{ simple_query_string: { query: "x y \\", fields: ["a"], default_operator: "and" } }, { a: "x y" }, true],
    [{ simple_query_string: { query: "x + y\\", fields: ["a"] } }, { a: "x y" }, true],
    [{ simple_query_string: { query: "\\", fields: ["a"] } }, { a: "x" }, false],
    [{ simple_query_string: { query: "disk~a", fields: ["a"] } }, { a: "disk" }, true],
    [{ simple_query_string: { query: "disk~1a", fields: ["a"] } }, { a: "disc" }, false],
    [{ simple_query_string: { query: '"x y"~a + z', fields: ["a"] } }, { a: "x y z" }, true],
    [{ simple_query_string: { query: '"x y"~1a', fields: ["a"], default_operator: "and" } }, { a: "x y" }, true],
    [{ simple_query_string: { query: '"x y"~2', fields: ["a"] } }, { a: "x 1 y" }, true]
  ]
  for (const [query, document, found] of table) {
    it(`${found ? "finds" : "passes over"} ${JSON.stringify(document)} by ${JSON.stringify(query)}`, () => {
      assert.strictEqual(finds(query, document), found)
    })
  }

  it("is refused with the place of every fault", () => {
    const wrong: ReadonlyArray<readonly [query: unknown, pointer: string, detail: RegExp]> = [
      [{ bool: { must: [{ match_al: {} }] } }, "/filters/bool/must/0/match_al", /did you mean "match_all"/],
      [{ term: { a: { value: 1, fuzzy: 2 } } }, "/filters/term/a/fuzzy", /Unknown member "fuzzy"/],
      [{ term: { a: null } }, "/filters/term/a", /Expected a text/],
      [{ term: { a: 1, b: 2 } }, "/filters/term", /exactly one field/],
      [{ match_all: {}, term: { a: 1 } }, "/filters", /exactly one clause/],
      [{ range: { "a/b~": { gte: [] } } }, "/filters/range/a~1b~0/gte", /Expected/],
      [{ range: { a: { gte: "x", lt: 5 } } }, "/filters/range/a", /all numbers, all dates/],
      [{ range: { a: { gte: "now-1x" } } }, "/filters/range/a/gte", /date math/],
      [{ range: { a: { gte: 1, format: "QQQ" } } }, "/filters/range/a/format", /Unknown format/],
      [{ range: { a: { gte: "2026 2026", format: "iso8601||yyyy uuuu" } } }, "/filters/range/a/format", /uuuu twice/],
      [{ range: { a: { gte: 1, format: "yyyy SSSSSSSSSS" } } }, "/filters/range/a/format", /Unknown format/],
      [{ range: { a: { gte: 1, time_zone: "Mars/Olympus" } } }, "/filters/range/a/time_zone", /Unknown time zone/],
      [{ wildcard: { a: "*?".repeat(70).replaceAll("*?", "*x") } }, "/filters/wildcard/a", /64 wildcards|at most/],
      [{ match_phrase: { a: { query: "x", slop: 1001 } } }, "/filters/match_phrase/a/slop", /from 0 to 1000/],
      [{ query_string: { query: "a:(b" } }, "/filters/query_string/query", /not closed/],
      [{ query_string: { query: "b~3" } }, "/filters/query_string/query", /at most 2 edits/],
      [{ query_string: { query: "path:C\\:\\users" } }, "/filters/query_string/query", /hexadecimal.*\(character 6 /],
      [{ query_string: { query: 'a:["\\u00" TO b]' } }, "/filters/query_string/query", /hexadecimal/],
      ...["a AND", "a OR", "a NOT", "(a OR)", "NOT", "+"].map(
        (query) => [{ query_string: { query } }, "/filters/query_string/query", /Expected a clause|No clause/] as const
      ),
      ...[
        "AND",
        "OR",
        " AND ",
        "AND a",
        "OR a",
        "a AND OR b",
        "a OR AND b",
        "a AND AND b",
        "(AND a)",
        "a (OR)",
        "a:AND",
        "+NOT a",
        "a:NOT b",
        "AND:a"
      ].map(
        (query) =>
          [
            { query_string: { query } },
            "/filters/query_string/query",
            /No clause can start with (AND|OR|NOT): write "/
          ] as const
      ),
      [
        { query_string: { query: "a:b:c" } },
        "/filters/query_string/query",
        /A field is already named here \(character 3/
      ],
      [{ query_string: { query: "_exists_:a:c" } }, "/filters/query_string/query", /already/],
      [{ ids: { values: "x" } }, "/filters/ids/values", /list/],
      [{ script: {} }, "/filters/script", /"script" is not supported: use a filter node/],
      [{ geo_shape: {} }, "/filters/geo_shape", /Unknown clause "geo_shape"/],
      ["text", "/filters", /object/],
      [[], "/filters", /object/]
    ]
    for (const [query, pointer, detail] of wrong) {
      const [first = ""] = faults(query)
      assert.isTrue(first.startsWith(`${pointer}: `), `${JSON.stringify(query)} → ${first}`)
      assert.match(first, detail)
    }
    assert.lengthOf(faults({ bool: { must: [{ a: {} }, { b: {} }], should: 5 } }), 3)
  })

  it("is bounded in what its texts cost together", () => {
    const words = (count: number) => Array.from({ length: count }, (_, at) => `w${at}`).join(" ")
    const fields = Array.from({ length: 4000 }, (_, at) => `f${at}`)
    const each = (count: number, clause: object) => ({ bool: { should: Array(count).fill(clause) } })
    for (const query of [
      { match_phrase: { a: words(340) } },
      { match: { a: words(1500) } },
      each(1023, { match_phrase: { a: "some words" } }),
      { query_string: { query: words(1000) } }
    ]) {
      assert.deepStrictEqual(faults(query), [])
    }
    const long = "x".repeat(8000)
    for (const query of [
      { match_phrase: { a: words(1300) } },
      { match_phrase: { a: { query: words(1300) } } },
      { query_string: { query: `a:"${words(1300)}"` } },
      { multi_match: { query: words(1300), fields: ["a"], type: "phrase" } },
      { multi_match: { query: words(1300), fields } },
      { query_string: { query: words(900), fields } },
      { query_string: { query: ">1 ".repeat(900), fields } },
      { query_string: { query: "x* ".repeat(900), fields } },
      each(30, { match: { a: words(1300) } }),
      each(30, { term: { a: { value: long, case_insensitive: true } } }),
      each(30, { prefix: { a: { value: long, case_insensitive: true } } }),
      each(60, { wildcard: { a: `*${"x".repeat(1000)}` } })
    ]) {
      assert.match(faults(query)[0] ?? "", /searches for too much text/, JSON.stringify(query).slice(0, 80))
    }
  })

  it("makes no groups that capture, which PostgreSQL compiles one by one", () => {
    for (const query of [
      { match_phrase: { a: "one two" } },
      { match: { a: "one two 日本" } },
      { query_string: { query: "on*" } }
    ]) {
      assert.notMatch(JSON.stringify(Result.getOrThrow(parseQuery(query, 0))), /\((?!\?:)/)
    }
  })

  it("is bounded", () => {
    const nested = (levels: number): object =>
      levels === 0 ? { match_all: {} } : { bool: { must: [nested(levels - 1)] } }
    assert.deepStrictEqual(faults(nested(31)), [])
    assert.match(faults(nested(32))[0] ?? "", /at most 32 levels/)
    assert.match(faults(nested(60))[0] ?? "", /at most 32 levels/)
  })

  it("has a limited number of operations of date math, in all its clauses together", () => {
    const ranges = (clauses: number, operations: number) => ({
      bool: {
        filter: Array.from({ length: clauses }, () => ({
          range: { "@timestamp": { gte: `now${"+1M/M".repeat(operations / 2)}`, time_zone: "America/New_York" } }
        }))
      }
    })
    assert.deepEqual(faults(ranges(1000, 4)), [])
    const tooMany = (clause: number) =>
      `/filters/bool/filter/${clause}/range/@timestamp: The date math of a query has at most 4096 operations`
    assert.deepEqual(faults(ranges(3, 1500)), [tooMany(2)])
    assert.deepEqual(faults(ranges(300, 500)), [tooMany(8)])
    const odd = { range: { "@timestamp": { gte: "now/d", lt: "nonsense" } } }
    assert.deepEqual(faults({ bool: { filter: [...ranges(3, 1500).bool.filter, odd] } }), [
      tooMany(2),
      "/filters/bool/filter/3/range/@timestamp/lt: Expected a date, or date math such as now-1d/d"
    ])
    const term = { term: { "@timestamp": `now${"-1d".repeat(2500)}` } }
    assert.match(faults(term)[0] ?? "", /date math of a query has at most 4096 operations/)
  })

  it("is not looked at further when it searches for too much text", () => {
    const words = Array.from({ length: 400 }, (_, n) => `abcdefgh${n}`).join(" ")
    const clauses = Array.from({ length: 200 }, () => ({ match: { a: { query: words, fuzziness: 2 } } }))
    const before = process.threadCpuUsage()
    faults({ bool: { should: clauses.slice(0, 10) } })
    const few = process.threadCpuUsage(before).user
    const again = process.threadCpuUsage()
    assert.match(faults({ bool: { should: clauses } })[0] ?? "", /searches for too much text/)
    assert.isBelow(process.threadCpuUsage(again).user, 5 * few)
    assert.match(
      faults({ bool: { should: Array.from({ length: 2000 }, () => ({ match_all: {} })) } })[0] ?? "",
      /1024 clauses/
    )
    assert.match(faults({ terms: { a: Array.from({ length: 70_000 }, (_, n) => n) } })[0] ?? "", /65536 values/)
    for (const text of [
      "(".repeat(5000),
      "!".repeat(8000),
      "NOT ".repeat(2000),
      "a:(".repeat(2000),
      "a:".repeat(4000)
    ]) {
      assert.match(faults({ query_string: { query: text } })[0] ?? "", /levels|already/, text.slice(0, 9))
    }
    assert.match(faults({ terms: { "@timestamp": Array.from({ length: 2000 }, (_, n) => n) } })[0] ?? "", /1024 dates/)
    assert.match(faults({ term: { ["f".repeat(600)]: 1 } })[0] ?? "", /512 characters/)
  })
})

import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { placeOf } from "../../src/languages/query/Instant.ts"
import { parseQuery } from "../../src/languages/query/QueryParser.ts"
import { holds } from "../memory/Evaluate.ts"

const now = Date.parse("2026-11-21T10:20:30Z")

const finds = (query: object, source: Record<string, unknown>): boolean => {
  const parsed = parseQuery(query, now)
  if (Result.isFailure(parsed)) throw new Error(`${JSON.stringify(query)}: ${JSON.stringify(parsed.failure)}`)
  const at = placeOf(source["@timestamp"])
  return holds(parsed.success, { id: "id-1", index: "t-logs", at, value: source })
}

const faultOf = (query: object): string => {
  const parsed = parseQuery(query, now)
  if (Result.isSuccess(parsed)) return "none"
  const [first] = parsed.failure
  return `${first?.pointer}: ${first?.detail}`
}

const text = (query: string, more: object = {}) => ({ query_string: { query, ...more } })
const simple = (query: string, more: object = {}) => ({ simple_query_string: { query, ...more } })
const expression = (value: string, more: object = {}) => ({ regexp: { a: { value, ...more } } })

describe("a clause", () => {
  const table: ReadonlyArray<readonly [query: object, document: Record<string, unknown>, found: boolean]> = [
    // Names with wildcards stand for whole dotted names, of members that have a value.
    [{ exists: { field: "a*" } }, { ab: { c: 1 } }, true],
    [{ exists: { field: "*b" } }, { ab: { c: 1 } }, false],
    [{ exists: { field: "a.*" } }, { a: 1 }, false],
    [{ exists: { field: "a.*" } }, { a: [[{ b: 1 }]] }, true],
    [{ exists: { field: "a.*.c" } }, { "a.b": { c: 0 } }, true],
    [{ exists: { field: "a*" } }, { a: [null], ab: {} }, false],
    [text("a\\*:x"), { ab: "x" }, true],
    [text("_exists_:*b"), { ab: "" }, true],
    [simple("x", { fields: ["*b"] }), { ab: "y x" }, true],
    [{ range: { "a*": { gte: 3 } } }, { ab: [1, 5] }, true],
    [{ match: { "*": { query: "x y", operator: "and" } } }, { a: "x", b: "y" }, false],
    [{ match: { "*": { query: "x y", operator: "and" } } }, { a: ["x", "y"] }, true],
    // Ids and indices are fields of every clause.
    [{ prefix: { _id: "id" } }, {}, true],
    [{ wildcard: { _index: "t-l?gs" } }, {}, true],
    [{ regexp: { _id: "id-[0-9]" } }, {}, true],
    [{ range: { _id: { gte: 5 } } }, {}, true],
    [{ exists: { field: "_index" } }, {}, true],
    [{ term: { _index: "t-*" } }, {}, true],
    [{ match: { _index: "logs" } }, {}, false],
    [{ match_phrase_prefix: { _id: "id-" } }, {}, true],
    [{ multi_match: { query: "t-logs", fields: ["a", "_index"] } }, {}, true],
    [text("_id:(id-1 OR x) AND _index:t*"), {}, true],
    [simple("_index:other"), {}, false],
    [{ bool: { must_not: { terms: { _index: ["t-other", "t-x*"] } } } }, {}, true],
    // Ranges and addresses without a field.
    [text("[5 TO 7}"), { a: { b: 6 } }, true],
    [text(">=7"), { a: { b: 6 } }, false],
    [text("[2026-03-01 TO 2026-03-02]"), { a: "2026-03-02T23:00:00Z" }, true],
    [text("10.0.0.0\\/8"), { a: "10.1.2.3" }, true],
    [text('"10.0.0.0/8"'), { a: "11.1.2.3" }, false],
    [{ match: { a: "2001:db8::/32" } }, { a: "2001:DB8:1::" }, true],
    [{ term: { a: "10.1.2.3/8" } }, { a: "10.0.0.1" }, true],
    [{ range: { a: { gte: "10.0.0.9", lt: "10.0.0.100" } } }, { a: "10.0.0.11" }, true],
    [{ range: { a: { gt: "10.0.0.255" } } }, { a: "10.0.0.3" }, false],
    [{ range: { a: { lt: "::1", gt: "::" } } }, { a: "::" }, false],
    [{ term: { a: "::ffff:10.0.0.1" } }, { a: "10.0.0.1" }, true],
    [{ term: { a: "10.0.0.0/33" } }, { a: "10.0.0.0" }, false],
    [
      text("@timestamp:[2026-03-10 TO 2026-03-10]", { time_zone: "-05:00" }),
      { "@timestamp": "2026-03-11T04:00:00Z" },
      true
    ],
    // A minimum, whatever else there is.
    [{ bool: { should: [{ term: { a: 1 } }], minimum_should_match: 0 } }, { a: 2 }, false],
    [{ bool: { must: { match_all: {} }, should: [{ term: { a: 1 } }], minimum_should_match: 0 } }, { a: 2 }, true],
    [{ match: { a: { query: "x x y", minimum_should_match: 2 } } }, { a: "x" }, true],
    [{ match: { a: { query: "x y z", minimum_should_match: "2 < 67%" } } }, { a: "x y" }, true],
    [text("x y z", { minimum_should_match: "-1" }), { a: "x y" }, true],
    [text("+x y z", { minimum_should_match: 1 }), { a: "x" }, false],
    [text("x OR y OR z", { minimum_should_match: 2, default_operator: "and" }), { a: "x" }, false],
    [simple("x y z", { minimum_should_match: 2 }), { a: "x" }, false],
    // A simple text: operators, meaningless syntax, and flags.
    [simple("x -y"), { a: "y" }, false],
    [simple("x -y"), { a: "z" }, true],
    [simple("x -y", { default_operator: "and" }), { a: "x y" }, false],
    [simple("x +-y"), { a: "z" }, false],
    [simple("x - y"), { a: "y" }, true],
    [simple("--x"), { a: "x" }, true],
    [simple("x | y + z"), { a: "x" }, false],
    [simple("x y + z"), { a: "x" }, false],
    [simple("x + y | z"), { a: "z" }, true],
    [simple("wi-fi"), { a: "wi fi" }, true],
    [simple(')x ( | + "'), { a: "x" }, true],
    [simple("((x"), { a: "x" }, true],
    [simple(""), { a: "x" }, false],
    [simple("really?"), { a: "really" }, true],
    [simple("x AND NOT a:y"), { a: "x y" }, false],
    [simple("x\\ y"), { a: "x y" }, true],
    [simple("\\-x"), { a: "x" }, true],
    [simple("full disk~"), { a: "dsik" }, true],
    [simple('"x y"~1'), { a: "x z y" }, true],
    [simple('"x y"~1', { flags: "PHRASE|WHITESPACE" }), { a: "x z y" }, false],
    [simple("x | y", { flags: "NONE" }), { a: "y" }, false],
    [simple("x*", { flags: "AND|OR" }), { a: "xy" }, false],
    [simple("-x", { flags: "ALL" }), { a: "x" }, false],
    [simple("-x", { flags: "OR" }), { a: "x" }, true],
    // Words near others, and the options of their clauses.
    [text('"x y"', { phrase_slop: 1 }), { a: "x z y" }, true],
    [text("dsik~", { fuzzy_transpositions: false, fuzziness: 1 }), { a: "disk" }, false],
    [text("disk~", { fuzzy_prefix_length: 3 }), { a: "dish" }, true],
    [text("disk~", { fuzzy_prefix_length: 3 }), { a: "risk" }, false],
    [text("ab~2"), { a: "cd" }, false],
    [text("/fu.*/ AND /.*o ba/"), { a: "foo bar fuu" }, false],
    [text("/fu.*/ AND NOT /f.*r/"), { a: "foo bar fuu" }, true],
    [{ match_phrase_prefix: { a: { query: "x y z", slop: 2 } } }, { a: "y x zoo" }, true],
    [{ match_bool_prefix: { a: "y 40" } }, { a: "404 errors" }, true],
    [
      { multi_match: { query: "x y", fields: ["a", "b*"], type: "cross_fields", operator: "and" } },
      { a: "x", bc: "y" },
      true
    ],
    [{ multi_match: { query: "x y", fields: ["a", "b*"], operator: "and" } }, { a: "x", bc: "y" }, false],
    // Lucene's expressions.
    [expression("ab?c{2}"), { a: "acc" }, true],
    [expression("abc"), { a: "xabcx" }, false],
    [expression('[^a-c]\\d\\."a.*"'), { a: "x5.a.*" }, true],
    [expression("[]x-]+"), { a: "]-x" }, true],
    [expression("É|[x-z]+", { case_insensitive: true }), { a: "é" }, true],
    [expression("[^a-z]", { case_insensitive: true }), { a: "K" }, false],
    [expression("a@"), { a: "a\nb" }, true],
    [expression("a@~", { flags: "NONE" }), { a: "a@~" }, true],
    [expression("()|x"), { a: "" }, true],
    [expression("\\^\\$"), { a: "^$" }, true]
  ]
  for (const [query, document, found] of table) {
    it(`${found ? "finds" : "passes over"} ${JSON.stringify(document)} by ${JSON.stringify(query)}`, () => {
      assert.strictEqual(finds(query, document), found)
    })
  }

  const refused: ReadonlyArray<readonly [query: object, fault: RegExp]> = [
    [{ nested: { path: "a" } }, /^\/nested: .*"nested" is not supported: use its query alone/],
    [{ dis_max: { queries: [] } }, /use bool with should/],
    [{ constant_score: { boost: 1 } }, /^\/constant_score: "filter" is missing/],
    [
      { terms: { a: { index: "x", id: "1", path: "y" } } },
      /^\/terms\/a: Terms of another document .* write its values/
    ],
    [{ match: { a: { query: "x", analyzer: "french" } } }, /^\/match\/a\/analyzer: Only the analyzer standard/],
    [{ match: { a: { query: "x", fuzziness: 3 } } }, /^\/match\/a\/fuzziness: Expected AUTO/],
    [{ match: { a: { query: "x".repeat(65), fuzziness: 1 } } }, /^\/match\/a\/fuzziness: .* at most 64/],
    [{ match: { a: { query: "x", slop: 1 } } }, /^\/match\/a\/slop: Unknown member "slop"/],
    [{ match: { a: { query: "x y", minimum_should_match: "a" } } }, /minimum_should_match: Expected a number/],
    [
      { multi_match: { query: "x", type: "phrase", fuzziness: 1 } },
      /^\/multi_match\/fuzziness: This needs another type/
    ],
    [{ multi_match: { query: "x", slop: 1 } }, /^\/multi_match\/slop: This needs another type: phrase/],
    [{ fuzzy: { a: { value: "x".repeat(65) } } }, /^\/fuzzy\/a\/value: .* at most 64 characters/],
    [expression("a~b"), /^\/regexp\/a\/value: .*complement \(~\) is not supported: use must_not.*character 2/],
    [expression("a&b"), /two clauses/],
    [expression("<1-9>"), /use range/],
    [expression("^a"), /there are no anchors/],
    [expression("a$"), /write \\\$ for the character/],
    [expression("(a"), /not closed/],
    [expression("a)"), /not open/],
    [expression("*a"), /nothing to repeat/],
    [expression("a{3,2}"), /wrong order/],
    [expression("a{256}"), /at most 255/],
    [expression("(((a{100}){100}){100})"), /too large/],
    [expression("(.?){255}(.?){255}(.?){255}z"), /optional parts/],
    [expression("(".repeat(60)), /at most 50 levels/],
    [expression("a".repeat(1001)), /at most 1000 characters/],
    [expression("[z-a]"), /wrong order/],
    [expression("a", { flags: "SOME" }), /^\/regexp\/a\/flags: Expected flags/],
    [text("a~3"), /query_string\/query: A word has at most 2 edits/],
    [text("a~0.8"), /whole number follows ~/],
    [text("/a"), /not closed/],
    [text("*a", { allow_leading_wildcard: false }), /allow_leading_wildcard/],
    [text("a", { time_zone: "Mars" }), /^\/query_string\/time_zone: Unknown time zone/],
    [text("a", { type: "cross_fields" }), /^\/query_string\/type: Expected best_fields or most_fields/],
    [text("@timestamp:[a TO b]"), /Expected a date/],
    [simple("a", { flags: "BOTH" }), /^\/simple_query_string\/flags: Expected flags/],
    [simple("a:>5"), /needs query_string/],
    [simple("a", { fuzzy_prefix_lenght: 1 }), /did you mean/]
  ]
  for (const [query, fault] of refused) {
    it(`is refused: ${JSON.stringify(query).slice(0, 80)}`, () => assert.match(faultOf(query), fault))
  }
})

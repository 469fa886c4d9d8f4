import { Result } from "effect"
import { describe, expect, it } from "vitest"
import type { Fields } from "../../src/languages/FieldPath.ts"
import { compile, type GrokFilterOptions } from "../../src/languages/grok/GrokFilter.ts"

const access = '1.2.3.4 - - [10/Oct/2000:13:55:36 -0700] "GET / HTTP/1.0" 200 12'

/** Rules of Logstash's filter. */
const rules: ReadonlyArray<readonly [name: string, options: GrokFilterOptions, event: Fields, expected: Fields]> = [
  ["match as text", { match: { message: "%{INT:n}" } }, { message: "5" }, { message: "5", n: "5" }],
  [
    "null source",
    { match: { message: "%{INT:n}" } },
    { message: null },
    { message: null, tags: ["_grokparsefailure"] }
  ],
  ["absent source", { match: { message: "%{INT:n}" } }, { x: 1 }, { x: 1, tags: ["_grokparsefailure"] }],
  [
    "tags as string kept",
    { match: { message: "%{INT:n}" } },
    { message: "q", tags: "a" },
    { message: "q", tags: ["a", "_grokparsefailure"] }
  ],
  [
    "no tag when list is empty",
    { match: { message: "%{INT:n}" }, tag_on_failure: [] },
    { message: "q" },
    { message: "q" }
  ],
  [
    "array: each element, numbers do not append",
    { match: { m: "%{WORD:w} %{INT:n:int}" } },
    { m: ["a 1", "b 2", "c"] },
    { m: ["a 1", "b 2", "c"], w: ["a", "b"], n: 1 }
  ],
  ["array with none", { match: { m: "%{INT:n}" } }, { m: ["a", "b"] }, { m: ["a", "b"], tags: ["_grokparsefailure"] }],
  ["empty array", { match: { m: "%{INT:n}" } }, { m: [] }, { m: [], tags: ["_grokparsefailure"] }],
  ["bool", { match: { m: "^%{WORD:w}$" } }, { m: true }, { m: true, w: "true" }],
  [
    "break false merges",
    { match: { message: ["%{GREEDYDATA:name1}beard", "tree%{GREEDYDATA:name2}"] }, break_on_match: false },
    { message: "treebeard" },
    { message: "treebeard", name1: "tree", name2: "beard" }
  ],
  [
    "break true",
    { match: { message: ["%{GREEDYDATA:name1}beard", "tree%{GREEDYDATA:name2}"] } },
    { message: "treebeard" },
    { message: "treebeard", name1: "tree" }
  ],
  [
    "break false same field",
    { match: { message: ["%{INT:n}", "%{WORD:n}"] }, break_on_match: false },
    { message: "12" },
    { message: "12", n: ["12", "12"] }
  ],
  [
    "break false second misses",
    { match: { message: ["%{WORD:w}", "^%{INT:n}$"] }, break_on_match: false },
    { message: "ab" },
    { message: "ab", w: "ab" }
  ],
  [
    "two fields, first misses",
    { match: { a: "%{INT:n}", b: "%{INT:m}" } },
    { a: "x", b: "2" },
    { a: "x", b: "2", m: "2" }
  ],
  [
    "overwrite nested",
    { match: { message: "%{WORD:[a][b]}" }, overwrite: ["[a][b]"] },
    { message: "new", a: { b: "old", c: 1 } },
    { message: "new", a: { b: "new", c: 1 } }
  ],
  [
    "append nested",
    { match: { message: "%{WORD:[a][b]}" } },
    { message: "new", a: { b: "old" } },
    { message: "new", a: { b: ["old", "new"] } }
  ],
  [
    "overwrite many",
    { match: { message: "%{WORD:w} %{WORD:w}" }, overwrite: ["w"] },
    { message: "a b", w: "x" },
    { message: "a b", w: "b" }
  ],
  [
    "target single",
    { match: { message: "%{WORD:w}" }, target: "grok" },
    { message: "a" },
    { message: "a", grok: { w: "a" } }
  ],
  [
    "target keeps message",
    { match: { message: "%{GREEDYDATA:message}" }, target: "t" },
    { message: "a" },
    { message: "a", t: { message: "a" } }
  ],
  [
    "target overwrite",
    { match: { message: "%{WORD:w}" }, target: "t", overwrite: ["w"] },
    { message: "a", t: { w: "old" } },
    { message: "a", t: { w: "a" } }
  ],
  [
    "target with existing",
    { match: { message: "%{WORD:w}" }, target: "t" },
    { message: "a", t: { w: "old" } },
    { message: "a", t: { w: ["old", "a"] } }
  ],
  [
    "named_captures_only false",
    { match: { message: "Hello %{WORD}. %{WORD:foo}" }, named_captures_only: false },
    { message: "Hello World, yo!" },
    { message: "Hello World, yo!", WORD: "World", foo: "yo" }
  ],
  [
    "keep empty",
    { match: { message: "1=%{WORD:foo1} *(2=%{WORD:foo2})?" }, keep_empty_captures: true },
    { message: "1=test" },
    { message: "1=test", foo1: "test", foo2: null }
  ],
  [
    "drop empty",
    { match: { message: "1=%{WORD:foo1} *(2=%{WORD:foo2})?" } },
    { message: "1=test" },
    { message: "1=test", foo1: "test" }
  ],
  [
    "keep empty string",
    { match: { message: "a=%{DATA:a};" }, keep_empty_captures: true },
    { message: "a=;" },
    { message: "a=;", a: "" }
  ],
  [
    "add_field after",
    { match: { message: "%{WORD:w}" }, add_field: { new_field: "%{w}" } },
    { message: "a" },
    { message: "a", w: "a", new_field: "a" }
  ],
  [
    "add_field unknown ref stays",
    { match: { message: "%{WORD:w}" }, add_field: { n: "%{zz}" } },
    { message: "a" },
    { message: "a", w: "a", n: "%{zz}" }
  ],
  [
    "add_field to existing makes list",
    { match: { message: "%{WORD:w}" }, add_field: { w: "x" } },
    { message: "a" },
    { message: "a", w: ["a", "x"] }
  ],
  [
    "remove_field captured",
    { match: { message: "%{WORD:w} %{WORD:v}" }, remove_field: ["w", "message"] },
    { message: "a b" },
    { v: "b" }
  ],
  [
    "add_tag list",
    { match: { message: "%{WORD:w}" }, add_tag: ["x", "%{w}"] },
    { message: "a" },
    { message: "a", w: "a", tags: ["x", "a"] }
  ],
  [
    "int bad",
    { match: { message: "%{DATA:n:int}$" } },
    { message: "abc" },
    { message: "abc", n: "abc", tags: ["_grokconversionfailure"] }
  ],
  ["number existing left", { match: { message: "%{INT:n}" } }, { message: "5", n: 3 }, { message: "5", n: 3 }],
  [
    "existing object left",
    { match: { message: "%{INT:n}" } },
    { message: "5", n: { a: 1 } },
    { message: "5", n: { a: 1 } }
  ],
  ["existing null", { match: { message: "%{INT:n}" } }, { message: "5", n: null }, { message: "5", n: "5" }],
  [
    "metadata field",
    { match: { message: "%{INT:[@metadata][n]}" } },
    { message: "5" },
    { message: "5", "@metadata": { n: "5" } }
  ],
  [
    "ecs v1",
    { match: { message: "%{COMMONAPACHELOG}" }, ecs_compatibility: "v1" },
    { message: access },
    {
      message: access,
      source: { address: "1.2.3.4" },
      timestamp: "10/Oct/2000:13:55:36 -0700",
      http: { request: { method: "GET" }, version: "1.0", response: { status_code: 200, body: { bytes: 12 } } },
      url: { original: "/" }
    }
  ],
  [
    "inline def",
    { match: { message: "%{FIZZLE:f=\\d{2}}-%{FIZZLE:g}" } },
    { message: "12-34" },
    { message: "12-34", f: "12", g: "34" }
  ],
  [
    "pattern_definitions override",
    { match: { message: "%{INT:i}" }, pattern_definitions: { INT: "[a-z]+" } },
    { message: "abc" },
    { message: "abc", i: "abc" }
  ],
  [
    "dup alternation",
    { match: { message: "%{INT:foo}|%{WORD:foo}" } },
    { message: "hello world" },
    { message: "hello world", foo: "hello" }
  ],
  [
    "dup alternation 2",
    { match: { message: "%{INT:foo}|%{WORD:foo}" } },
    { message: "123 world" },
    { message: "123 world", foo: "123" }
  ],
  [
    "array pattern list break_on false",
    { match: { m: ["%{INT:a}", "%{WORD:b}"] }, break_on_match: false },
    { m: ["1", "x"] },
    { m: ["1", "x"], a: "1", b: ["1", "x"] }
  ],
  ["dot key event", { match: { "a.b": "%{INT:n}" } }, { a: { b: "4" } }, { a: { b: "4" }, n: "4" }]
]

/** Of Elasticsearch's processor. */
const traced: typeof rules = [
  [
    "says which of several patterns matched",
    { match: { m: ["%{INT:n}", "%{WORD:w}"] }, trace_match: true },
    { m: "ab", _ingest: { at: 1 } },
    { m: "ab", w: "ab", _ingest: { at: 1, _grok_match_index: "1" } }
  ],
  [
    "says that the only pattern matched",
    { match: { m: "%{INT:n:int}" }, trace_match: true },
    { m: "7" },
    { m: "7", n: 7, _ingest: { _grok_match_index: "0" } }
  ],
  [
    "says nothing of a miss",
    { match: { m: ["%{INT:n}", "^b"] }, trace_match: true },
    { m: "a" },
    { m: "a", tags: ["_grokparsefailure"] }
  ]
]

describe("the grok filter, by Logstash's rules", () => {
  it.each([...rules, ...traced])("%s", (_, options, event, expected) => {
    const filter = Result.getOrThrow(compile(options))
    expect(filter.apply(event).event).toEqual(expected)
    expect(filter.applyAll([event, event]).map((one) => one.event)).toEqual([expected, expected])
  })
})

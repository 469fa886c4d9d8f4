import { Result } from "effect"
import { describe, expect, it } from "vitest"
import type { Fields } from "../../src/languages/FieldPath.ts"
import { compile, type GrokFilterOptions } from "../../src/languages/grok/GrokFilter.ts"

const pattern_definitions = { WORD: "\\b\\w+\\b", INT: "[+-]?\\d+", ANY: ".*" }
const filter = (options: GrokFilterOptions) => Result.getOrThrow(compile({ pattern_definitions, ...options }))
const apply = (options: GrokFilterOptions, event: Fields) => filter(options).apply(event).event

describe("the grok filter", () => {
  it.each<[string, GrokFilterOptions, Fields, Fields]>([
    ["adds fields", { match: { message: "%{INT:n:int}" } }, { message: "7" }, { message: "7", n: 7 }],
    [
      "tags a failure",
      { match: { message: "%{INT:n}" } },
      { message: "x", tags: ["a"] },
      { message: "x", tags: ["a", "_grokparsefailure"] }
    ],
    [
      "tags a failure as told, once",
      { match: { message: "%{INT:n}" }, tag_on_failure: ["no", "never"] },
      { message: "x", tags: "no" },
      { message: "x", tags: ["no", "never"] }
    ],
    ["appends to a text", { match: { message: "^%{WORD:message}" } }, { message: "a b" }, { message: ["a b", "a"] }],
    [
      "appends to a list",
      { match: { message: "%{INT:n}" } },
      { message: "2", n: ["1"] },
      { message: "2", n: ["1", "2"] }
    ],
    ["leaves a number alone", { match: { message: "%{INT:n}" } }, { message: "2", n: 1 }, { message: "2", n: 1 }],
    [
      "overwrites",
      { match: { message: "%{WORD} %{ANY:message}" }, overwrite: "message" },
      { message: "a b" },
      { message: "b" }
    ],
    [
      "puts captures below the target",
      { match: { message: "%{WORD:[w][x]}" }, target: "[a][b]" },
      { message: "z", a: { c: 1 } },
      { message: "z", a: { c: 1, b: { w: { x: "z" } } } }
    ],
    [
      "stops at the first pattern",
      { match: { message: ["%{INT:a}", "%{INT:b}"] } },
      { message: "1" },
      { message: "1", a: "1" }
    ],
    [
      "goes on when told",
      { match: { message: ["%{INT:a}", "%{INT:b}", "nope"] }, break_on_match: false },
      { message: "1" },
      { message: "1", a: "1", b: "1" }
    ],
    [
      "stops at the first field",
      { match: { x: "%{INT:a}", y: "%{INT:b}" } },
      { x: "1", y: "2" },
      { x: "1", y: "2", a: "1" }
    ],
    ["reads nested fields", { match: { "[a][b]": "%{INT:n}" } }, { a: { b: "3" } }, { a: { b: "3" }, n: "3" }],
    [
      "tries each element of a list",
      { match: { m: "%{INT:n}" } },
      { m: ["1", "x", "2"] },
      { m: ["1", "x", "2"], n: ["1", "2"] }
    ],
    ["reads numbers as text", { match: { m: "^4%{INT:n}$" } }, { m: 403 }, { m: 403, n: "03" }],
    ["takes a missing field for an empty line", { match: { m: "^$" } }, { a: 1 }, { a: 1 }],
    ["leaves a missing field alone on request", { match: { m: "x" }, ignore_missing: true }, { a: 1 }, { a: 1 }],
    [
      "says that a value did not convert",
      { match: { m: "(?<n:n:int>\\w+)" } },
      { m: "12a" },
      { m: "12a", n: "12a", tags: ["_grokconversionfailure"] }
    ],
    [
      "decorates a match",
      {
        match: { m: "%{WORD:w}" },
        add_field: { copy: "<%{w}>", "f_%{w}": ["1", "2"] },
        remove_field: ["m", "[o][p]"],
        add_tag: "is_%{w}",
        remove_tag: "old"
      },
      { m: "x", o: { p: 1, q: 2 }, tags: ["old"] },
      { o: { q: 2 }, w: "x", copy: "<x>", f_x: ["1", "2"], tags: ["is_x"] }
    ],
    [
      "does not decorate a miss",
      { match: { m: "%{INT:n}" }, add_tag: "hit", remove_field: "m" },
      { m: "x" },
      { m: "x", tags: ["_grokparsefailure"] }
    ],
    [
      "does not try a line that is too long",
      { match: { m: "x" }, max_line_length: 3 },
      { m: "xxxx" },
      { m: "xxxx", tags: ["_groklinetoolong"] }
    ]
  ])("%s", (_, options, event, expected) => {
    const before = structuredClone(event)
    expect(apply(options, event)).toEqual(expected)
    expect(event).toEqual(before)
  })

  it("tags a match that was cut off", () => {
    expect(filter({ match: { m: "x" } }).timedOut({ m: "x" })).toEqual({ m: "x", tags: ["_groktimeout"] })
    expect(filter({ match: { m: "x" }, tag_on_timeout: "late" }).timedOut({})).toEqual({ tags: ["late"] })
  })
  it("reports a clash with a value as a failure of the event", () => {
    const { event, failures } = filter({ match: { m: "%{WORD:a.b}" } }).apply({ m: "x", a: 1 })
    expect(event).toEqual({ m: "x", a: 1, tags: ["_grokconversionfailure"] })
    expect(failures).toMatchObject([{ field: "a.b", type: "object" }])
  })
  it("refuses a bad pattern", () => {
    const compiled = compile({ match: { m: ["x", "%{NOPE}"] } })
    expect(Result.isFailure(compiled) && compiled.failure).toMatchObject({ pattern: 2, text: "%{NOPE}" })
  })
})

import { Result } from "effect"
import { describe, expect, it } from "vitest"
import { compile, type GrokOptions } from "../../src/languages/grok/GrokMatcher.ts"

const definitions = {
  WORD: "\\b\\w+\\b",
  INT: "[+-]?\\d+",
  NUMBER: "[+-]?\\d+(?:\\.\\d+)?",
  IP: "::1|\\d+(?:\\.\\d+){3}",
  DATE: "%{INT}-%{INT}-%{INT}",
  LOG: '%{DATE:ts} %{IP:client} "%{WORD:verb}"',
  URIPROTO: "[A-Za-z]([A-Za-z0-9+\\-.]+)+",
  A: "x%{B}",
  B: "%{C}",
  C: "y%{A}",
  OPEN: "a(b",
  RANGE: "a[z-a]b",
  LOST: "%{NOWHERE}"
}

const grok = (patterns: string | ReadonlyArray<string>, options: Partial<GrokOptions> = {}) =>
  compile([patterns].flat(), { bank: "none", definitions, ...options })

const fields = (pattern: string, line: string, options: Partial<GrokOptions> = {}) =>
  Result.getOrThrow(grok(pattern, options)).match(line)?.fields

const fault = (pattern: string, options: Partial<GrokOptions> = {}) => {
  const compiled = grok(pattern, options)
  if (Result.isSuccess(compiled)) return expect.fail(`${pattern} compiles`)
  return compiled.failure
}

describe("grok matches", () => {
  it.each([
    ["a field", "%{WORD:a} %{INT:b}", "foo 12", { a: "foo", b: "12" }],
    ["anywhere in the line", "%{INT:n}", "abc 42 def", { n: "42" }],
    ["nothing", "%{INT:n}", "abc", undefined],
    ["without fields", "%{INT} %{WORD}", "1 a", {}],
    ["nested fields", "%{WORD:[a][b]}-%{WORD:a.c}", "x-y", { a: { b: "x", c: "y" } }],
    ["a name with empty segments as one key", "%{WORD:a..b}", "x", { "a..b": "x" }],
    ["names of any script and with @ and -", "%{WORD:@m-ä} %{WORD:42}", "x y", { "@m-ä": "x", "42": "y" }],
    ["a repeated field as a list in group order", "%{WORD:w} %{INT:w} %{WORD:w}", "a 1 b", { w: ["a", "1", "b"] }],
    ["a repeated field with one value as a scalar", "%{INT:w}|%{WORD:w}", "abc", { w: "abc" }],
    ["inline groups", "(?<a>x+)(?<b:c:int>\\d+)", "xx7", { a: "xx", c: 7 }],
    ["grok inside an inline group", "(?<both>%{WORD} %{WORD:second})", "a b", { both: "a b", second: "b" }],
    ["inline definitions with braces", "%{FIZZ:z=\\d{2}} %{FIZZ:y}", "12 34", { z: "12", y: "34" }],
    ["text ignored up to the brace", "%{WORD - the first} %{WORD:b}", "a b", { b: "b" }],
    ["an escaped reference as text", "\\%{WORD} %{WORD:w}", "%{WORD} x", { w: "x" }],
    ["plain groups do not capture", "(a)(?<b>b)(c)", "abc", { b: "b" }],
    ["back references by name", "(?<q>['\"])(?<t>.*?)\\k<q>", "x 'a\"b' y", { q: "'", t: 'a"b' }],
    ["lines at their anchors", "^%{WORD:a}$", "-\nfoo\n-", { a: "foo" }],
    ["a dot across lines", "a(?<x>.+)b", "a\n\nb", { x: "\n\n" }],
    ["braces that repeat once more, not possessive", "(?<x>(?:a{2}+)a)", "aaaaa", { x: "aaaaa" }],
    ["an optional empty", "a(?<x>.*?)?", "abc", {}],
    ["comments and blanks in extended mode", "(?x) (?<a>\\d) # one ( \n (?<b>\\d)", "12", { a: "1", b: "2" }],
    ["the last value of each iteration", "(?:a=%{INT:a} ?|b=%{INT:b} ?)+", "b=1 a=2 b=3 a=4", { a: "4", b: "3" }],
    ["empty captures dropped", "(?<a>x*)(?<b>y)", "y", { b: "y" }],
    ["hyphens next to shorthands in classes", "(?<x>[\\w-.]+) (?<y>[a-\\d]+)", "b-.c a-1", { x: "b-.c", y: "a-1" }],
    ["a case switch for its group only", "(?i:abc)(?<x>[^d])", "ABCD", { x: "D" }]
  ])("%s", (_, pattern, line, expected) => {
    expect(fields(pattern, line)).toEqual(expected)
  })

  it.each([
    ["Čierny", "%{WORD:w}", undefined],
    ["naïve café", "%{WORD:w}", undefined],
    ["čaj 12", "(?<n>\\d+)", { n: "12" }],
    ["é1", "(?<x>[[:alnum:]]+)", { x: "é1" }],
    ["中 x", "\\W(?<x>\\w)", { x: "x" }],
    ["٣", "(?<x>\\d)", undefined],
    ["٣ ", "(?<x>[[:digit:]][[:space:]])", { x: "٣ " }],
    ["é-1 ", "(?<x>[^\\W-]+)(?<y>[\\s])", { x: "1", y: " " }],
    ["\u00a0", "(?<x>\\s)", undefined]
  ])("in %j has ASCII words and digits but Unicode boundaries and brackets: %s", (line, pattern, expected) => {
    expect(fields(pattern, line)).toEqual(expected)
  })

  it("keeps empty captures on request", () => {
    expect(fields("(?<a>x*)(?<b>y)(?<c>z)?", "y", { keepEmptyCaptures: true })).toEqual({ a: "", b: "y", c: null })
  })
  it("captures every reference on request", () => {
    expect(fields("%{WORD} %{INT:n}", "a 1", { namedCapturesOnly: false })).toEqual({ WORD: "a", n: "1" })
  })
  it("keeps the dot inside a line on request", () => {
    expect(fields("a(?<x>.)b", "a\nb", { dotall: false })).toBeUndefined()
  })
  it("takes the first pattern that matches, in order", () => {
    const both = Result.getOrThrow(grok(["^%{INT:n}$", "%{WORD:w}"]))
    expect(both.match("12")).toMatchObject({ pattern: 1, fields: { n: "12" } })
    expect(both.match("a12")).toMatchObject({ pattern: 2, fields: { w: "a12" } })
    expect(both.match("-")).toBeUndefined()
  })
  it("lets definitions replace what other definitions use", () => {
    expect(fields("%{DATE:d}", "7-7-7", { definitions: { ...definitions, INT: "[0-9]" } })).toEqual({ d: "7-7-7" })
    expect(fields("%{HOST:h}", "web", { definitions: "# hosts\n  HOST  web|db\n\nOTHER x" })).toEqual({ h: "web" })
  })
  it("does not blow up on a repeated repetition of a class", () => {
    expect(fields("%{URIPROTO:u}:", "a".repeat(5_000))).toBeUndefined()
  })
  it("reports a field that is both a value and an object", () => {
    const found = Result.getOrThrow(grok("%{WORD:a} %{WORD:a.b}")).match("x y")
    expect(found?.fields).toEqual({ a: "x" })
    expect(found?.failures).toMatchObject([{ field: "a", type: "object" }])
  })
  it("gives one shape's fields after another's", () => {
    const one = Result.getOrThrow(grok("(?<a>a)?(?<b>b)?(?<c>c)?$"))
    for (const line of ["abc", "ac", "abc", "b", "", "c", "ac"])
      expect(one.match(line)?.fields).toEqual(Object.fromEntries([...line].map((letter) => [letter, letter])))
  })
})

describe("grok refuses", () => {
  it.each([
    ["%{NOPE:x}", 'unknown pattern "NOPE"', 1, 1, "%{NOPE:x}"],
    ["ab\ncd %{WORD", "unclosed %{", 2, 4, "%{WORD"],
    ["%{WORD:unsuppo(r)ted}", "unrecognised reference", 1, 1, "%{WORD:unsuppo(r)ted}"],
    ["a %{WORD:x:uint}", 'unknown type "uint" (known: string, int', 1, 3, "%{WORD:x:uint}"],
    ["%{WORD:a.__proto__}", '"__proto__" cannot be a field name', 1, 1, "%{WORD:a.__proto__}"],
    ["%{WORD:constructor}", '"constructor" cannot be a field name', 1, 1, "%{WORD:constructor}"],
    ["ab(c", "unclosed group", 1, 3, "(c"],
    ["ab)c", "unmatched )", 1, 3, ")"],
    ["x[abc", "unclosed character class", 1, 2, "[abc"],
    ["a|*b", "nothing to repeat", 1, 3, "*"],
    ["ab[z-a]c", "bad regular expression", 1, 3, "[z-a]"],
    ["a\\", "a backslash at the end", 1, 2, "\\"]
  ])("%s", (pattern, detail, line, column, text) => {
    const error = fault(pattern)
    expect(error).toMatchObject({ part: "pattern", line, column, text })
    expect(error.detail).toContain(detail)
  })

  it.each([
    ["%{A}", "circular reference A->B->C->A", 10, 4],
    ["%{OPEN}", "unclosed group", 11, 7],
    ["x %{RANGE:r}", "bad regular expression", 12, 8],
    ["%{LOST}", 'unknown pattern "NOWHERE"', 13, 6]
  ])("%s for a definition's fault", (pattern, detail, line, column) => {
    const error = fault(pattern)
    expect(error).toMatchObject({ part: "definitions", line, column })
    expect(error.detail).toContain(detail)
  })

  it("bad definition lines", () => {
    expect(fault("x", { definitions: "OK \\d\nnot-ok \\d" })).toMatchObject({
      part: "definitions",
      line: 2,
      text: "not-ok"
    })
    expect(fault("x", { definitions: "OK \\d\n  EMPTY" })).toMatchObject({ part: "definitions", line: 2, column: 3 })
  })
  it("expansions without end", () => {
    const doubled = Object.fromEntries(Array.from({ length: 30 }, (_, n) => [`D${n}`, `%{D${n + 1}}%{D${n + 1}}`]))
    expect(fault("%{D0}", { definitions: { ...doubled, D30: "x" } }).detail).toContain("expands to more than")
  })
  it("what is nested too deeply", () => {
    expect(fault("(".repeat(100_000)).detail).toContain("nested more than")
    expect(fault(`${"(?:".repeat(300)}x${")".repeat(300)}`)).toMatchObject({ line: 1, column: 751 })
    const chain = Object.fromEntries(Array.from({ length: 5_000 }, (_, n) => [`D${n}`, `(?:%{D${n + 1}})`]))
    expect(fault("%{D0}", { definitions: chain }).detail).toContain("nested more than")
    const [open, close] = ["(?:".repeat(240), ")".repeat(240)]
    const deep = Object.fromEntries(Array.from({ length: 90 }, (_, n) => [`D${n}`, `${open}%{D${n + 1}}${close}`]))
    expect(fault("%{D0}", { definitions: { ...deep, D90: "x" } }).part).toBe("pattern")
  })
  it("only warns of broken definitions that nothing reaches", () => {
    const hints = Result.getOrThrow(grok("%{WORD:w}")).hints.join("\n")
    expect(hints).toContain('the unused definition "A" is broken: circular reference')
    expect(hints).toContain('the unused definition "LOST" is broken: unknown pattern "NOWHERE"')
    expect(hints).not.toContain('"DATE"')
  })
})

describe("grok explains", () => {
  const explain = (patterns: string | ReadonlyArray<string>, line: string) =>
    Result.getOrThrow(grok(patterns)).explain(line)

  it("where captures lie", () => {
    expect(explain("%{NUMBER:duration} %{IP:client}(?<rest>.*)", "189 127.0.0.1 é").captures).toEqual([
      { name: "duration", syntax: "NUMBER", value: "189", start: 0, end: 3 },
      { name: "client", syntax: "IP", value: "127.0.0.1", start: 4, end: 13 },
      { name: "rest", value: " é", start: 13, end: 15 }
    ])
  })
  it.each([
    ["%{NUMBER:duration} %{IP:client}", "abc", 0, "%{NUMBER:duration}"],
    ["%{NUMBER:duration} %{IP:client}", "12 abc", 3, "%{IP:client}"],
    ["%{WORD:a} = %{WORD:b}", "x == y", 3, " = "],
    ["%{LOG}", '2020-01-02 ::1 "', 16, "%{WORD:verb}"],
    ["%{LOG} %{WORD:x}", "2020-01-xx", 8, "%{LOG}"],
    ["^%{WORD:a}$", "foo bar", 3, "$"]
  ])("how far %s gets in %j", (pattern, line, matchedUpTo, failedAt) => {
    const { matched, failure, output } = explain(pattern, line)
    expect({ matched, output }).toEqual({ matched: false, output: undefined })
    expect(failure).toMatchObject({ reason: "no-match", matchedUpTo, failedAt })
  })
  it("the pattern that got furthest", () => {
    expect(explain(["%{IP:a}", "%{WORD:w} %{INT:n}", "zzz"], "foo bar")).toMatchObject({ pattern: 2 })
  })
  it("a value that does not convert", () => {
    const { matched, failure, pattern } = explain("%{WORD:n:int}", "abc")
    expect({ matched, pattern }).toEqual({ matched: false, pattern: 1 })
    expect(failure).toMatchObject({
      reason: "conversion",
      failedAt: "%{WORD:n:int}",
      detail: '"abc" is not of type int'
    })
  })
  it("what a pattern leaves out", () => {
    expect(explain("%{INT:n}", "a 1 b").hints.join()).toMatch(/before the match.*after the match/)
    expect(explain("^%{INT:n}$", "1").hints).toEqual([])
    expect(explain("%{INT:n}", "x").hints.join()).toContain("not anchored")
    expect(Result.getOrThrow(grok("%{WORD:w} %{WORD:w}")).hints.join()).toContain('"w" is captured in several places')
    expect(Result.getOrThrow(grok("%{WORD}")).hints.join()).toContain("captures nothing")
  })
})

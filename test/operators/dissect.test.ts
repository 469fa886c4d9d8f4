import { Result } from "effect"
import { describe, expect, it } from "vitest"
import { compile, type DissectOptions } from "../../src/languages/dissect/Dissector.ts"

const dissect = (pattern: string, options: DissectOptions = {}) => Result.getOrThrow(compile(pattern, options))

describe("dissect matches", () => {
  it.each([
    ["fields", "%{a} - %{b}", "x - y", { a: "x", b: "y" }],
    ["one field", "%{a}", "foo", { a: "foo" }],
    ["up to the first literal", "%{a}-%{b}", "foo------bar", { a: "foo", b: "-----bar" }],
    ["empty values", "%{a},%{b},%{c}", ",,", { a: "", b: "", c: "" }],
    ["an empty rest", "%{a} %{b}", "foo ", { a: "foo", b: "" }],
    ["padding", "%{a->} %{b}", "foo      bar", { a: "foo", b: "bar" }],
    ["padding by whole literals", "%{a->}--%{b}", "x-----y", { a: "x", b: "-y" }],
    ["skips", "%{} %{?gone} %{b}", "x y z", { b: "z" }],
    ["appends in order", "%{+a/2} %{+a/1} %{a}", "1 2 3", { a: "321" }],
    ["appends without an order as they stand", "%{+a} %{a} %{+a/0}", "1 2 3", { a: "123" }],
    ["names and values", "%{*k}=%{&k}", "colour=red", { colour: "red" }],
    ["values before names", "%{&k}=%{*k}", "red=colour", { colour: "red" }],
    ["percent signs and braces as text", "%%{a}} {%{b}", "%x} {y", { a: "x", b: "y" }],
    ["nested fields", "%{a.b} %{[a][c]}", "x y", { a: { b: "x", c: "y" } }],
    ["the last of a repeated field", "%{a} %{a}", "x y", { a: "y" }],
    ["text after a trailing literal ignored", "<%{a}>", "<x> y", { a: "x" }],
    ["literals of several lines and scripts", "%{a}\n中%{b}", "x\n中y", { a: "x", b: "y" }],
    ["typed values", "%{n|integer} %{f|float} %{b|boolean}", "0x1F 1.5 true", { n: 31, f: 1.5, b: true }],
    ["names with blanks", "%{ a b }.", "x.", { " a b ": "x" }]
  ])("%s", (_, pattern, line, expected) => {
    expect(dissect(pattern).match(line)?.fields).toEqual(expected)
  })

  it.each([
    ["%{a} %{b}", "foo"],
    ["<%{a}", "x<y"],
    ["<%{a}", "<"],
    ["%{a}%{b}", "foo"],
    ["%{a}", ""],
    ["%{a}END", "foo"]
  ])("%s not on %j", (pattern, line) => {
    expect(dissect(pattern).match(line)).toBeUndefined()
    expect(dissect(pattern).explain(line)).toMatchObject({ matched: false, failure: { reason: "no-match" } })
  })

  it.each([
    ["", "joined with nothing", "a=12"],
    [", ", "joined with a separator", "a=1, 2"]
  ])("append_separator %j: %s", (appendSeparator, _, expected) => {
    expect(`a=${dissect("%{a} %{+a}", { appendSeparator }).match("1 2")?.fields["a"]}`).toBe(expected)
  })
  it("leaves a value that does not convert as text and says so", () => {
    const found = dissect("%{n|int} %{ip|ip}").match("12x 1.2.3.256")
    expect(found?.fields).toEqual({ n: "12x", ip: "1.2.3.256" })
    expect(found?.failures.map(({ field }) => field)).toEqual(["n", "ip"])
  })
  it.each(["", "__proto__", "a.constructor"])("does not make a field of the name %j from the line", (name) => {
    const found = dissect("%{*k}=%{&k}").match(`${name}=x`)
    expect(found?.fields).toEqual({})
    expect(found?.failures).toHaveLength(1)
  })
  it.each(["::1", "2001:db8::7", "10.0.0.1", "::ffff:1.2.3.4"])("takes %s as an address", (ip) => {
    expect(dissect("%{ip|ip}").match(ip)?.failures).toEqual([])
  })
})

describe("other dialects of dissect", () => {
  it("joins with the literal before the value in Logstash", () => {
    expect(dissect("%{+d/2}/%{+d/1} %{d}", { dialect: "logstash" }).match("1/Dec 99")?.fields).toEqual({
      d: "99/Dec 1"
    })
  })
  it("takes names from skipped keys, and drops values that nothing names", () => {
    const logstash = dissect("%{?k}=%{&k} %{&lost}", { dialect: "logstash" })
    expect(logstash.match("a=b c")?.fields).toEqual({ a: "b" })
    expect(logstash.match("a=b c", { lost: "d" })?.fields).toEqual({ a: "b", d: "c" })
    expect(dissect("%{?k}=%{&k}", { dialect: "beats" }).match("a=b")?.fields).toEqual({ a: "b" })
  })
  it("cuts by width in Beats", () => {
    const beats = dissect("%{y#4}%{m#2}-%{rest}", { dialect: "beats" })
    expect(beats.match("202512-x")?.fields).toEqual({ y: "2025", m: "12", rest: "x" })
    expect(beats.match("202512x")).toBeUndefined()
    expect(dissect("%{a}-%{b#2}", { dialect: "beats" }).match("x-yz")?.fields).toEqual({ a: "x", b: "yz" })
    expect(dissect("%{a}-%{b#2}", { dialect: "beats" }).match("x-yzz")).toBeUndefined()
  })
})

describe("dissect refuses", () => {
  it.each([
    ["", "at least one %{key}", 1, ""],
    ["abc", "at least one %{key}", 1, "abc"],
    ["a %{b", "unclosed %{", 3, "%{b"],
    ["%{}", "every key is skipped", 1, "%{}"],
    ["%{a} %{++b}", "multiple modifiers", 6, "%{++b}"],
    ["%{*a} x", "has no %{&a}", 1, "%{*a}"],
    ["%{a} %{&a}", "has no key to name it", 6, "%{&a}"],
    ["%{*a} %{&a} %{&a}", "must be one pair", 13, "%{&a}"],
    ["%{a/2}", "needs the append modifier", 1, "%{a/2}"],
    ["%{+/2}", "no name", 1, "%{+/2}"],
    ["%{*}", "no name", 1, "%{*}"],
    ["%{a|uint}", 'unknown type "uint"', 1, "%{a|uint}"],
    ["%{a.__proto__}", "cannot be a field name", 1, "%{a.__proto__}"]
  ])("%j", (pattern, detail, column, text) => {
    const compiled = compile(pattern)
    if (Result.isSuccess(compiled)) return expect.fail("compiles")
    expect(compiled.failure).toMatchObject({ part: "pattern", line: 1, column, text })
    expect(compiled.failure.detail).toContain(detail)
  })
})

describe("dissect explains", () => {
  it("where values lie", () => {
    expect(dissect("%{a} %{?b} %{+a}").explain("x yy z").captures).toEqual([
      { name: "a", value: "x", start: 0, end: 1 },
      { name: "a", value: "z", start: 5, end: 6 }
    ])
  })
  it("how far a pattern gets", () => {
    const { failure } = dissect("%{a} [%{b}] %{c}").explain("x [y z")
    expect(failure).toMatchObject({ matchedUpTo: 3, failedAt: "%{b}] ", detail: '"] " not found after offset 3' })
    expect(dissect("<%{a}").explain("x").failure).toMatchObject({ matchedUpTo: 0, failedAt: "<" })
    expect(dissect("%{a}%{b}").explain("x").hints.join()).toContain("no literal between")
  })
  it("conversions and ignored text", () => {
    expect(dissect("%{n|int}").explain("x").failure).toMatchObject({ reason: "conversion", failedAt: "n" })
    expect(dissect("<%{a}>").explain("<x> y").hints.join()).toContain("after offset 3 is ignored")
  })
})

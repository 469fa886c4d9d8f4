import { Result } from "effect"
import { describe, expect, it } from "vitest"
import { compile, type Dialect } from "../../src/languages/dissect/Dissector.ts"
import type { Fields } from "../../src/languages/FieldPath.ts"

/** No match, and a pattern that is refused. */
type Outcome = Fields | "miss" | "bad"

const outcome = (dialect: Dialect, pattern: string, line: string, separator: string | undefined): Outcome => {
  const compiled = compile(pattern, { dialect, ...(separator === undefined ? {} : { appendSeparator: separator }) })
  if (Result.isFailure(compiled)) return "bad"
  return compiled.success.match(line)?.fields ?? "miss"
}

type Row = readonly [pattern: string, line: string, expected: Outcome, separator?: string]

const elasticsearch: ReadonlyArray<Row> = [
  ["%{a} %{b} %{c}", "foo bar baz", { a: "foo", b: "bar", c: "baz" }],
  ["%{a},%{b},%{c}", "foo,bar,baz", { a: "foo", b: "bar", c: "baz" }],
  ["%{+a} %{+a} %{+a}", "foo bar baz", { a: "foobarbaz" }],
  ["%{+a} %{+a} %{+a}", "foo bar baz", { a: "foo bar baz" }, " "],
  ["%{a} %{+a/2} %{+a/1}", "foo bar baz", { a: "foobazbar" }],
  ["%{+a/3} %{+a/1} %{+a/2}", "foo bar baz", { a: "barbazfoo" }],
  ["%{+a/2} %{+a/4} %{+a/1} %{+a/3}", "1 2 3 4", { a: "3142" }],
  ["%{*a} %{b} %{&a}", "foo bar baz", { foo: "baz", b: "bar" }],
  ["%{&a} %{b} %{*a}", "foo bar baz", { baz: "foo", b: "bar" }],
  ["%{*a}:%{&a} %{*b}:%{&b}", "x:1 y:2", { x: "1", y: "2" }],
  ["%{a->} %{b}", "foo         bar", { a: "foo", b: "bar" }],
  ["%{a->} %{b->} %{c}", "foo   bar   baz", { a: "foo", b: "bar", c: "baz" }],
  ["%{->},%{a}", ",,,,,foo", { a: "foo" }],
  ["%{?->} %{a}", "xx    foo", { a: "foo" }],
  ["%{+a->} %{+a}", "foo    bar", { a: "foobar" }],
  ["%{*a->} %{&a}", "foo    bar", { foo: "bar" }],
  ["%{+a/1->} %{+a/0}", "foo    bar", { a: "barfoo" }],
  ["%{a}foo", "barfoo", { a: "bar" }],
  ["foo%{a}", "foo", "miss"],
  ["foo%{a}", "foobar", { a: "bar" }],
  ["%{a}%{b}", "foo", "miss"],
  ["%{a},%{b}", "foo", "miss"],
  ["%{a}%{b} %{c}", "foo bar baz", "miss"],
  ["%{a} ", "foo", "miss"],
  ["%{a} ", "foo ", { a: "foo" }],
  [" %{a}", " foo", { a: "foo" }],
  ["%{a}", "foo", { a: "foo" }],
  ["%{a}", "", "miss"],
  ["a", "foo", "bad"],
  ["", "foo", "bad"],
  ["%{", "foo", "bad"],
  ["%{a", "foo", "bad"],
  ["%a}", "foo", "bad"],
  ["{a}", "foo", "bad"],
  ["%{}", "foo", "bad"],
  ["%{?}", "foo", "bad"],
  ["%{?a}", "foo", "bad"],
  ["%{->}", "foo", "bad"],
  ["%{+}", "foo", "bad"],
  ["%{*}", "foo", "bad"],
  ["%{&}", "foo", "bad"],
  ["%{/1}", "foo", "bad"],
  ["%{a/1}", "foo", "bad"],
  ["%{+a/}", "foo", "bad"],
  ["%{+a/x}", "foo", "bad"],
  ["%{+*a}", "foo", "bad"],
  ["%{?*a} %{&a}", "foo", "bad"],
  ["%{*a} %{*a} %{&a}", "a b c", "bad"],
  ["%{*a}", "x", "bad"],
  ["%{&a}", "x", "bad"],
  ["%{*a} %{&b}", "x y", "bad"],
  ["%{*a} %{&a} %{&a}", "x y z", "bad"],
  ["%{->a} %{b}", "foo bar", { "->a": "foo", b: "bar" }],
  ["%{a b} %{c}", "foo bar", { "a b": "foo", c: "bar" }],
  ["%{a}|%{b}|%{c}", "foo||baz", { a: "foo", b: "", c: "baz" }],
  ["%{a},%{b},%{c},%{d},%{e}", ",,,,", { a: "", b: "", c: "", d: "", e: "" }],
  ["%{a->},%{b}", ",,,,,,foo", { a: "", b: "foo" }],
  ["%{a}\\n%{b}", "foo\\nbar", { a: "foo", b: "bar" }],
  ["%{a}\t%{b}", "foo\tbar", { a: "foo", b: "bar" }],
  ["%{a}\n%{b}", "foo\nbar", { a: "foo", b: "bar" }],
  ["%{a}%%{b}", "foo%bar", { a: "foo", b: "bar" }],
  ["%%{a}%", "%foo%", { a: "foo" }],
  ["%{a} } %{b}", "foo } bar", { a: "foo", b: "bar" }],
  ["%{a} %{b}, %{c}", "foo bar, baz, qux", { a: "foo", b: "bar", c: "baz, qux" }],
  ["[%{a}]", "[foo] trailing", { a: "foo" }],
  ["%{a}💩%{b}", "x💩y", { a: "x", b: "y" }],
  ["%{a} %{a}", "x y", { a: "y" }],
  ["%{a}:%{b}", "x", "miss"],
  ["%{a}--%{b}", "x-y--z", { a: "x-y", b: "z" }],
  ["%{+a} %{b} %{+a} %{c}", "1 2 3 4", { a: "13", b: "2", c: "4" }],
  ["%{+a} %{a}", "1 2", { a: "12" }],
  ["%{+a/1} %{a}", "1 2", { a: "21" }],
  ["%{*k}=%{&k} %{*k2}=%{&k2}", "a=1 a=2", { a: "2" }],
  ["%{n|int} %{d|double} %{b|bool} %{s|string}", "1 2.5 true x", { n: 1, d: 2.5, b: true, s: "x" }],
  ["%{+a|int} %{+a}", "1 2", { a: 12 }]
]

const logstash: ReadonlyArray<Row> = [
  ["%{a} %{b}", "foo bar", { a: "foo", b: "bar" }],
  ["%{a} %{+a} %{+a}", "foo bar baz", { a: "foo bar baz" }],
  ["%{a}-%{+a}:%{+a}", "1-2:3", { a: "1-2:3" }],
  ["%{+a} %{+a}", "foo bar", { a: "foo bar" }],
  ["%{?k}=%{&k}", "x=1", { x: "1" }],
  ["%{k}=%{&k}", "x=1", { k: "x", x: "1" }],
  ["%{a->} %{b}", "foo    bar", { a: "foo", b: "bar" }],
  ["%{a} %{b} %{c}", "foo bar", "miss"],
  ["%{a}, %{b}", "foo", "miss"],
  ["[%{a}] %{}", "[x] y", { a: "x" }],
  ["%{a}", "", "miss"],
  ["%{+&a}", "x", "bad"],
  ["%{&+a}", "x", "bad"],
  ["%{+/2}", "x", "bad"],
  ["%{a}  %{b}", "x  y", { a: "x", b: "y" }],
  ["%{a} %{b}", "x ", { a: "x", b: "" }],
  ["%{+a/2} %{+a/1}", "x y", { a: "y x" }],
  ["%{a} %{+a/2} %{+a/1}", "31 1999 December", { a: "31 December 1999" }],
  ["%{+a/2} %{+a/1} %{a}", "1999 December 31", { a: "31 December 1999" }],
  ["%{?a} %{b}", "x y", { b: "y" }],
  ["%{[a][b]} %{c}", "x y", { a: { b: "x" }, c: "y" }]
]

const beats: ReadonlyArray<Row> = [
  ["%{key} %{+key}", "hello world", { key: "hello world" }],
  ["%{+key/2} %{+key/1}", "a b", { key: "b a" }],
  ["%{?key} %{&key}", "hello world", { hello: "world" }],
  ["%{*key} %{&key}", "hello world", { hello: "world" }],
  ["%{key} %{&key}", "hello world", { key: "hello", hello: "world" }],
  ["%{&key} %{b}", "x y", "bad"],
  ["%{key->} %{b}", "x    y", { key: "x", b: "y" }],
  ["%{}", "x", "bad"],
  ["%{a|integer}", "12", { a: 12 }],
  ["%{a|integer}", "x", { a: "x" }],
  ["%{a|ip}", "10.0.0.1", { a: "10.0.0.1" }],
  ["%{a|boolean}", "true", { a: true }],
  ["%{a|float} %{b|double}", "1.5 2.5", { a: 1.5, b: 2.5 }],
  ["%{a|long}", "0x10", { a: 16 }],
  ["%{key#2}%{rest}", "abcd", { key: "ab", rest: "cd" }],
  ["%{a}", "", "miss"],
  ["abc", "abc", "bad"]
]

const dialects = { elasticsearch, logstash, beats }

describe.each(Object.keys(dialects) as ReadonlyArray<Dialect>)("dissect as in %s", (dialect) => {
  for (const [pattern, line, expected, separator] of dialects[dialect])
    it(`${JSON.stringify(pattern)} on ${JSON.stringify(line)}`, () => {
      expect(outcome(dialect, pattern, line, separator)).toEqual(expected)
    })
})

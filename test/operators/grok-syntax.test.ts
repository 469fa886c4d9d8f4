import { Result } from "effect"
import { describe, expect, it } from "vitest"
import type { Fields } from "../../src/languages/FieldPath.ts"
import { compile, type GrokOptions } from "../../src/languages/grok/GrokMatcher.ts"

const elasticsearch: Partial<GrokOptions> = { dialect: "elasticsearch" }

/** Expressions with the built-in patterns, in Oniguruma's syntax. */
const expressions: ReadonlyArray<readonly [string, string, Fields | undefined, Partial<GrokOptions>?]> = [
  ["%{WORD:foo-bar}", "hello world", { "foo-bar": "hello" }],
  ["(?<foo-bar>hello)", "hello", { "foo-bar": "hello" }],
  ["%{WORD:@source}", "x", { "@source": "x" }],
  ["(?<[a][b]>x+)", "xx", { a: { b: "xx" } }],
  ["%{WORD:[a][b][c]}", "x", { a: { b: { c: "x" } } }],
  ["%{NUMBER:a:int} %{NUMBER:b:float}", "400 454.33", { a: 400, b: 454.33 }],
  [
    "%{NUMBER:a:integer} %{NUMBER:b:long} %{NUMBER:c:double} %{WORD:d:boolean} %{WORD:e:bool} %{WORD:f:string}",
    "1 2 3.5 true FALSE s",
    { a: 1, b: 2, c: 3.5, d: true, e: false, f: "s" }
  ],
  ["%{NUMBER:a:int}", "-12", { a: -12 }],
  ["%{NUMBER:a:int}", "12.99", { a: 12 }],
  ["%{NUMBER:a:float}", ".5", { a: 0.5 }],
  ["%{NUMBER:a:int}", "+7", { a: 7 }],
  ["(?:k=%{WORD:k} ?)+", "k=a k=b k=c", { k: "c" }],
  ["(?<a>.)(?<a>.)?", "x", { a: "x" }],
  ["(?<a>.)(?<a>.)?", "xy", { a: ["x", "y"] }],
  ["%{DATA:d}$", "a\nb", { d: "a" }],
  ["^%{GREEDYDATA:d}$", "a\nb", { d: "a\nb" }],
  ["\\A%{WORD:w}\\z", "abc", { w: "abc" }],
  ["%{WORD:w}\\Z", "abc\n", { w: "abc" }],
  ["\\[%{WORD:w}\\]", "[abc]", { w: "abc" }],
  ["%{QS:q}", 'say "it"', { q: '"it"' }],
  ["(?i)%{WORD:w}=x", "W=X", { w: "W" }],
  ["(?i:abc) %{INT:n}", "ABC 1", { n: "1" }],
  ["(?x) %{WORD:w} \\s %{INT:n} # c", "a 1", { w: "a", n: "1" }],
  ["(?<year>\\d{4})-(?<month>\\d\\d)", "2020-05", { year: "2020", month: "05" }],
  ["(?>a|ab)(?<r>.*)", "abc", { r: "bc" }],
  ["a++b(?<r>.)", "aaabX", { r: "X" }],
  ["(?<r>\\h+)", "xyz12ffg", { r: "12ff" }],
  ["\\p{Alpha}+(?<r>\\d)", "ab1", { r: "1" }],
  ["(?<r>[[:digit:]]+)", "ab12", { r: "12" }],
  ["(?<r>[a-w&&[^c-g]]+)", "cab", { r: "ab" }],
  ["\\R(?<r>.)", "a\r\nb", { r: "b" }],
  ["(?<q>['\"])(?<t>.*?)\\k<q>", "'a'", { q: "'", t: "a" }],
  ["(?<par>\\((?:[^()]|\\g<par>)*\\))", "x(a(b)c)y", { par: "(a(b)c)" }],
  ["(?<a>\\w|-\\k<a>*) x\\b", "- x", { a: "-" }],
  ["(?<a>\\w|-\\k<a>{0,2}) x\\b", "- x", { a: "-" }],
  ["(\\w\\1*)\\b.", "ab c", {}],
  ["(?<a>x)|(?<b>y)", "y", { b: "y" }],
  ["(?~abc)(?<r>abc)", "xxabc", { r: "abc" }],
  ["(?<=a)(?<r>b)", "ab", { r: "b" }],
  ["(?<!a)(?<r>b)", "abb", { r: "b" }],
  ["a{,2}(?<r>b)", "aab", { r: "b" }],
  ["a{2,}(?<r>b)", "aaab", { r: "b" }],
  ["(?<r>\\w+)", "čau ahoj", { r: "au" }],
  ["(?<r>\\X)", "e\u0301", { r: "e\u0301" }],
  ["%{WORD:a.b.c}", "x", { a: { b: { c: "x" } } }],
  ["%{IP:ip} %{IPORHOST:h}", "::1 example.com", { ip: "::1", h: "example.com" }],
  ["%{WORD}", "x", {}],
  ["%{WORD} %{INT:n}", "x 1", { WORD: "x", n: "1" }, { namedCapturesOnly: false }],
  ["", "abc", {}],
  ["%{WORD:unsuppo(r)ted}", "line", undefined, elasticsearch],
  ["a.b", "a\nb", undefined, elasticsearch],
  ["(?m)a.b(?<r>.)", "a\nbc", { r: "c" }, elasticsearch],
  ["%{NUMBER:b:long}", "9223372036854775807", { b: "9223372036854775807" }, elasticsearch],
  ["%{WORD:w:boolean}", "yes", { w: false }, elasticsearch],
  ["%{NUMBER:b:double}", "1.5", { b: 1.5 }, elasticsearch]
]

describe("grok expressions", () => {
  for (const [pattern, line, expected, options = {}] of expressions)
    it(`${JSON.stringify(pattern)} on ${JSON.stringify(line)}`, () => {
      const grok = Result.getOrThrow(compile([pattern], { bank: "legacy", ...options }))
      expect(grok.match(line)?.fields).toEqual(expected)
      expect(grok.matchAll([line, `${line}é`, line]).map((found) => found?.fields)[2]).toEqual(expected)
      expect(grok.explain(line).failure?.reason ?? grok.explain(line).output).toEqual(expected ?? "no-match")
    })
  it.each([
    ["%{WORD:w:uint}", 'unknown type "uint"'],
    ["%{WORD:w:ip}", 'unknown type "ip"'],
    ["%{WORD:w:int:int}", "more parts"]
  ])("%s are refused", (pattern, detail) => {
    const compiled = compile([pattern], { bank: "legacy" })
    expect(Result.isFailure(compiled) && compiled.failure.detail).toContain(detail)
  })
})

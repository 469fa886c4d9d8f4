import { Result } from "effect"
import { describe, expect, it } from "vitest"
import { capturesOf } from "../../src/languages/grok/fields/CaptureAnalysis.ts"
import { compile as compileFilter, type GrokFilterOptions } from "../../src/languages/grok/GrokFilter.ts"
import { compile } from "../../src/languages/grok/GrokMatcher.ts"
import { plainAscii } from "../../src/languages/grok/regex/AsciiPattern.ts"
import { requiredText } from "../../src/languages/grok/regex/RequiredText.ts"
import { definitions, expression, line, random } from "./generate.ts"

const grok = (...patterns: ReadonlyArray<string>) => Result.getOrThrow(compile(patterns, { bank: "none", definitions }))

describe("many lines at once", () => {
  it("match as each does by itself, whatever came before", () => {
    const source = random(4_242)
    let required = 0
    for (let round = 0; round < 150; round++) {
      const ascii = source.below(2) === 0
      const patterns = Array.from({ length: 1 + source.below(2) }, () => {
        const { pattern } = expression(source, ascii)
        return source.pick([pattern, `ab(?:${pattern})`, `^.*?(?:${pattern})[^a]*$`])
      })
      const compiled = compile(patterns, { bank: "none", definitions })
      if (Result.isFailure(compiled)) continue
      const { expressions, match, matchAll } = compiled.success
      const lines = Array.from({ length: 12 }, () => line(source, ascii || source.below(3) > 0))
      const all = matchAll(lines)
      expect(all).toEqual(lines.map(match))
      const exact = lines.map((text) => expressions.map((one) => one.match(text)).find((found) => found !== undefined))
      expect([patterns, lines, all]).toEqual([patterns, lines, exact])
      // What skips the match, or picks its recipe, must not change whether there is one.
      const bare = lines.map((text) => expressions.some(({ exec }) => exec(text, false) !== undefined))
      expect([patterns, lines, all.map((found) => found !== undefined)]).toEqual([patterns, lines, bare])
      // What is known without a line must hold for every line.
      for (const { tree, exec } of expressions) {
        const { certain, solid } = capturesOf(tree.root)
        for (const found of lines.flatMap((text) => exec(text, false) ?? [])) {
          const texts = found.numbers.map((number) => found.match[number])
          expect([patterns, texts.flatMap((text, index) => (certain.has(index) && !text ? [index] : []))]).toEqual([
            patterns,
            []
          ])
          expect([patterns, texts.flatMap((text, index) => (solid.has(index) && text === "" ? [index] : []))]).toEqual([
            patterns,
            []
          ])
        }
      }
      if (expressions.some(({ tree }) => requiredText(tree.root) !== undefined)) required++
    }
    expect(required).toBeGreaterThan(10)
  })

  it("become the same events", () => {
    const options: ReadonlyArray<Omit<GrokFilterOptions, "match">> = [
      {},
      { target: "[a][b]" },
      { overwrite: "message" },
      { break_on_match: false },
      { keep_empty_captures: true },
      { ignore_missing: true, tag_on_failure: [] },
      { add_field: { seen: "%{message}" }, add_tag: "t", remove_field: "word" },
      { max_line_length: 3 }
    ]
    const match = {
      message: ["^%{WORD:word}=(?:%{INT:value:int})?", "%{INT:n.x:int} %{WORD:message}", "%{WORD:w:int}$"]
    }
    const events = [
      { message: "a=1" },
      { message: "a=" },
      { message: "12 ab" },
      { message: "é=1" },
      { message: "a=1", word: "there" },
      { message: "12 ab", n: { y: 1 } },
      { message: ["a=1", "é"] },
      { message: 403 },
      { message: "   " },
      { message: null },
      { other: true },
      JSON.parse('{"message":"a=1","__proto__":{"x":1}}')
    ]
    for (const more of options) {
      const filter = () => Result.getOrThrow(compileFilter({ match, pattern_definitions: definitions, ...more }))
      const before = structuredClone(events)
      const made = filter().applyAll(events)
      expect([more, made]).toEqual([more, events.map(filter().apply)])
      expect(made.map(({ event }) => Object.getPrototypeOf(event))).toEqual(events.map(() => Object.prototype))
      expect(events).toEqual(before)
    }
  })
})

describe("the text that a match must hold", () => {
  it.each([
    ["foo \\[%{WORD:x}\\] bar", "foo ["],
    ["^(?:ab)c$", "abc"],
    ["(?<n>ab)%{INT}", "ab"],
    ["ab?cde+", "cd"],
    ["(?:ab){2,3}x", "ab"],
    ["(?:ab)*x", undefined],
    ["ab|abc", undefined],
    ["x(?=abc)y", undefined],
    ["(?<!abc)d", undefined],
    ["a(?i)bcd", undefined],
    ["(?i:abc)def", undefined],
    ["(?x) a b c", "abc"],
    ["a.b\\sc", undefined],
    ["   ", undefined],
    ["\\bfoo\\b", "foo"],
    ["äö", "äö"]
  ])("of %s is %s", (pattern, text) => {
    expect(requiredText(grok(pattern).expressions[0]!.tree.root)).toBe(text)
  })
})

describe("an expression for ASCII text", () => {
  it.each([
    ["[a-z\\-\\[]\\{\\d{2}\\}", "[a-z\\-\\[]\\{\\d{2}\\}"],
    ["\\p{AHex}+[\\p{AHex}:]", "[0-9A-Fa-f]+[0-9A-Fa-f:]"],
    ["(a)\\1\\u0041\\x41", "(a)\\1\\u0041\\x41"],
    ["ä?\\u00e9|\\xe9+", "[]?[]|[]+"],
    ['.+[^"\\\\]', '[\\x00-\\x7f]+[^\\x80-\\uffff"\\\\]'],
    ["\\S\\s\\W\\w", "[^\\s\\x80-\\uffff][\\t-\\r ][^\\w\\x80-\\uffff]\\w"],
    ["[aé]*[\\W]", "(?:(?![\\x80-\\uffff])[aé])*(?:(?![\\x80-\\uffff])[\\W])"],
    ["\\p{L}", undefined],
    ["[\\p{L}]", undefined],
    ["[a[b]]", undefined],
    ["[a&&b]", undefined],
    ["[a--b]", undefined],
    ["\\u{1f600}", undefined],
    ["😀", undefined],
    ["(?i:a)", undefined],
    ["(?s:a.b)", undefined],
    ["(?m-s:a.b)", undefined],
    ["\\k<a>", undefined]
  ])("of %s is %s", (pattern, plain) => {
    expect(plainAscii(pattern, true)).toBe(plain)
  })
})

import { describe, expect, it } from "@effect/vitest"
import { Schema } from "effect"
import { parse } from "yaml"
import { written } from "../../packages/console/src/pages/flowlines/written.ts"

const runs = { arbitrary: { runs: 2000 } }

describe("a value in YAML", () => {
  it.prop(
    "reads as what it was",
    [Schema.Json],
    ([value]) => expect(JSON.stringify(parse(written(value)))).toBe(JSON.stringify(value)),
    runs
  )

  it.prop(
    "keeps every text, also as a name",
    [Schema.String, Schema.String],
    ([one, other]) => {
      const value = { [one]: [other, { [other]: one, list: [[one], `${one}\n${other}`] }] }
      expect(parse(written(value))).toEqual(value)
    },
    runs
  )

  it.each([
    "true",
    "Null",
    "~",
    "",
    "12",
    "0x1f",
    "-",
    "- a",
    "a: b",
    "a:",
    "a #b",
    "# a",
    "a ",
    " a",
    "a\tb",
    "a\nb",
    "a\n",
    "\na",
    " a\nb",
    "a\n\n  b",
    "*a",
    "&a",
    "!a",
    "%a",
    "@a",
    "`a",
    "|",
    ">",
    "'a'",
    '"a"',
    "{a}",
    "[a]",
    "a,b",
    "?",
    "---",
    "...",
    "<<",
    "=",
    ".inf",
    "1e3",
    "2020-01-01",
    "\u0085",
    "\u2028",
    "\ufeffa",
    "\ud800"
  ])("keeps %j in a list, as a member and as a name", (text) => {
    for (const value of [[text], { a: text }, { [text]: text }, [[text, { b: [text] }]]]) {
      expect(parse(written(value))).toEqual(value)
    }
  })

  it("is how a reader would write it", () => {
    expect(written({ messages: ["10.0.0.1 GET /a 200", "it's"], none: [], n: { a: 1, b: "1" }, code: "a\nb" })).toBe(
      [
        "messages:",
        "  - 10.0.0.1 GET /a 200",
        "  - it's",
        "none: []",
        "n:",
        "  a: 1",
        "  b: '1'",
        "code: |-",
        "  a",
        "  b"
      ].join("\n")
    )
    expect(parse(written([Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]))).toEqual([
      Number.NaN,
      Number.POSITIVE_INFINITY,
      Number.NEGATIVE_INFINITY
    ])
  })
})

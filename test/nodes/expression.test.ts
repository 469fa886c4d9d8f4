import { it } from "@effect/vitest"
import { Schema } from "effect"
import { describe, expect } from "vitest"
import { predicate } from "../../src/languages/expression/Compile.ts"
import { checkSettings } from "../../src/nodes/Checks.ts"
import { filter } from "../../src/nodes/processing/Filter.ts"
import { seed } from "../support/random.ts"

const event = {
  message: "GET /a/b?x=1",
  status: "503",
  bytes: 20,
  zero: 0,
  empty: "",
  yes: true,
  nothing: null,
  tags: ["p", "q", 7],
  a: { b: 1, c: "10", "odd name": "x" },
  "odd name": "y",
  "@timestamp": "2026-03-10",
  event: { dataset: "apache" }
}

const holds: ReadonlyArray<readonly [string, boolean]> = [
  // Fields.
  ["a.b == 1", true],
  ["[a][b] == 1", true],
  ['a["b"] == 1', true],
  ["event.a.b == 1", true],
  // In brackets every name is a field's, `event` too.
  ['[event][dataset] == "apache"', true],
  ['event.event.dataset == "apache"', true],
  ['["odd name"] == "y"', true],
  ['a["odd name"] == "x"', true],
  ['["a"]["odd name"] == "x"', true],
  ['@timestamp >= "2026-03-09"', true],
  ["tags[2] == 7", true],
  ["tags[9] == null", true],
  ["missing == null", true],
  ["missing.deeper.still == null", true],
  ["nothing == null", true],
  // Nothing of an object's inside is a field.
  ["constructor == null", true],
  ["__proto__ == null", true],
  ["message.length == null", true],
  ["tags.length == null", true],
  ["a.constructor.name == null", true],
  // Text with text as text, with a number as a number when it looks like one.
  ["status == 503", true],
  ['status == "503"', true],
  ["status >= 500", true],
  ['status >= "60"', false],
  ["status === 503", false],
  ['bytes == "20.0"', true],
  ['bytes < "3e1"', true],
  ["message > 5", false],
  ["message <= 5", false],
  ["missing < 5", false],
  ["missing >= 0", false],
  ["empty == 0", false],
  ["yes == true", true],
  ["yes == 1", false],
  // Arithmetic.
  ["bytes + 1 == 21", true],
  ["status - 3 == 500", true],
  ["bytes * 2 / 8 == 5", true],
  ["bytes % 7 == 6", true],
  ["bytes / zero == null", true],
  ["-bytes < -19", true],
  ['message + "!" =~ "!$"', true],
  ["message * 2 == null", true],
  ["1 + 2 * 3 == 7", true],
  ["(1 + 2) * 3 == 9", true],
  // Logic.
  ["yes and not zero", true],
  ["yes && !empty", true],
  ["missing or status", true],
  ["missing || zero", false],
  ["not (status == 503)", false],
  ["zero == 0 and bytes == 1 or yes", true],
  ["yes ? bytes == 20 : false", true],
  // Lists and texts.
  ["bytes in [1, 20]", true],
  ['bytes not in ["20"]', false],
  ['status in ["503"]', true],
  ['"p" in tags', true],
  ['"GET" in message', true],
  ["bytes in []", false],
  // Regular expressions, as they are written.
  ['message =~ "^GET\\s/a"', true],
  ["message =~ /^get/i", true],
  ["message !~ /^POST/", true],
  ['missing =~ ".*"', false],
  ['missing !~ "x"', true],
  ['tags =~ "^q$"', true],
  ['bytes =~ "^2"', true],
  ["message =~ '\\?x=\\d'", true],
  // Functions.
  ["exists(a.b)", true],
  ["exists(nothing)", false],
  ['contains(message, "/a/")', true],
  ["contains(tags, 7)", true],
  ['startsWith(message, "GET")', true],
  ["startsWith(message, missing)", false],
  ['endsWith(message, "x=1")', true],
  ['lower(message) =~ "^get"', true],
  ["number(status) + 1 === 504", true],
  ["number(message) == null", true],
  ["length(tags) == 3 and length(message) == 12", true]
]

const faults: ReadonlyArray<readonly [string, string, number, number]> = [
  ["", "empty", 1, 1],
  ["a ==", "Expected expression after ==", 1, 5],
  ["a = 1", 'Unexpected "="', 1, 3],
  ["a == 1\n  and (b", "Unclosed (", 2, 9],
  ["a b", "Expected an operator", 1, 3],
  ["a; b", "Expected an operator", 1, 4],
  ["a == 1 and foo(b)", "The functions are exists", 1, 12],
  ["a == 1 and lower(b, c)", "takes 1 argument, not 2", 1, 12],
  ['yes and message =~ "("', "does not compile", 1, 20],
  ["message =~ /a/g", "flags", 1, 12],
  ["message =~ /(/", "does not compile", 1, 12],
  ["message =~ other", "take a text", 1, 12],
  ["not a == 1", "parentheses", 1, 1],
  ["a | b", "not part of the language", 1, 1],
  ["~a", "not part of the language", 1, 1],
  ["this", "not part of the language", 1, 1],
  ["lower(a).b", "Only the event's fields", 1, 1],
  ["a[b + 1]", "a word, a text or a number", 1, 3],
  ["1 in [1,,2]", "hole", 1, 6],
  ["/x/", "right of =~", 1, 1],
  ["(".repeat(5000), "nested too deeply", 1, 101],
  [`${"1+".repeat(4000)}1`, "nested too deeply", 1, 1],
  [`${"a?b:".repeat(2000)}c`, "nested too deeply", 1, 399],
  [`${"a ** ".repeat(1600)}a`, "", 1, 1],
  [`a${" ".repeat(9000)}`, "longer than", 1, 1]
]

describe("expression", () => {
  for (const [text, expected] of holds) {
    it(text, () => {
      expect(predicate(text)(event)).toBe(expected)
    })
  }

  for (const [text, detail, line, column] of faults) {
    it(`refuses ${JSON.stringify(text.slice(0, 30))}`, () => {
      const issues = checkSettings(filter, { where: text, timeout_millis: 200 }, {})
      expect(issues).toHaveLength(1)
      expect(issues[0]!.detail).toContain(detail)
      expect(issues[0]).toMatchObject({ path: ["where"], line, column })
    })
  }

  it("takes very long chains", () => {
    expect(predicate(Array(1600).fill("a").join(" or "))({ a: 1 })).toBe(true)
    expect(predicate(`${"a.".repeat(3000)}a`)({ a: {} })).toBe(false)
    expect(predicate(`${"1 + ".repeat(250)}1 == 251`)({})).toBe(true)
    expect(predicate(`${"a and ".repeat(1000)}not a`)({ a: 1 })).toBe(false)
  })

  const operands = ["a", "b", "a.b", "b[0]", "1", '"1"', '"x"', "null", "[1, a]", "lower(a)", "length(b)", "number(a)"]
  const operators = ["==", "!=", "<", ">=", "+", "-", "*", "/", "%", "in", "and", "or", "===", "not in"]
  const index = (length: number) => Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: length - 1 }))
  it.prop(
    "never throws, whatever the event holds",
    {
      a: Schema.Json,
      b: Schema.Json,
      left: index(operands.length),
      right: index(operands.length),
      operator: index(operators.length)
    },
    ({ a, b, left, right, operator }) => {
      const text = `${operands[left]} ${operators[operator]} ${operands[right]}`
      const first = predicate(text)({ a, b })
      expect(predicate(text)({ a, b })).toBe(first)
      // Each comparison is the negation of its opposite, and `in` of `not in`.
      if (operators[operator] === "==") {
        expect(predicate(`${operands[left]} != ${operands[right]}`)({ a, b })).toBe(!first)
        expect(predicate(`${operands[right]} == ${operands[left]}`)({ a, b })).toBe(first)
      }
      if (operators[operator] === "in") {
        expect(predicate(`${operands[left]} not in ${operands[right]}`)({ a, b })).toBe(!first)
      }
    },
    { arbitrary: { seed, runs: 500 } }
  )
})

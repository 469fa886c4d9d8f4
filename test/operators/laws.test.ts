import { describe, expect, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import { coerce, toFloat, toInteger } from "../../src/languages/Coercion.ts"
import { compile as compileDissect } from "../../src/languages/dissect/Dissector.ts"
import { type Fields, getPath, setPath } from "../../src/languages/FieldPath.ts"
import { compile as compileGrok } from "../../src/languages/grok/GrokMatcher.ts"
import { isAscii } from "../../src/languages/grok/regex/Ascii.ts"
import { samples } from "../../src/services/operators/Samples.ts"
import { seed } from "../support/random.ts"

const options = { arbitrary: { seed, runs: 500 } }
const Word = Schema.String.check(Schema.isPattern(/^[a-z0-9é]{1,8}$/))
const Words = Schema.Array(Word).check(Schema.isMinLength(1), Schema.isMaxLength(6))

describe("laws", () => {
  const grok = Result.getOrThrow(
    compileGrok(["^%{W:first} %{ALL:rest}$"], { bank: "none", definitions: { W: "[^ ]+", ALL: ".*" } })
  )
  it.prop(
    "a match of two captures gives its line back",
    { first: Word, rest: Schema.String },
    ({ first, rest }) => {
      const found = grok.match(`${first} ${rest}`)
      // Lines end at \n for the anchors, and empty captures are dropped.
      expect(found?.fields["first"]).toBe(first)
      if (!rest.includes("\n")) expect(found?.fields["rest"] ?? "").toBe(rest)
    },
    options
  )

  const tokens: ReadonlyArray<string> = [
    ..."()[]{}|*+?^$.-\\,:=!<>'#&%é",
    ...["%{W}", "%{W:a}", "%{W:a.b:int}", "%{", "(?<a>", "(?<b:", "(?i)", "(?:", "(?>", "(?<!", "(?x)", "{1,2}"],
    ...["\\w", "\\k<a>", "\\g<a>", "\\1", "\\x", "\\p{L}", "[[:alpha:]]", "[^", "&&", "a", "1", " "]
  ]
  const Syntax = Schema.Array(Schema.Literals(tokens)).check(Schema.isMaxLength(12))
  it.prop(
    "any text compiles or is refused with a place in it",
    { pieces: Syntax, line: Word },
    ({ pieces, line }) => {
      const pattern = pieces.join("")
      const grok = compileGrok([pattern], { bank: "none", definitions: { W: "\\w+" } })
      const dissect = compileDissect(pattern)
      if (Result.isSuccess(grok)) expect([true, false]).toContain(grok.success.explain(line).matched)
      if (Result.isSuccess(dissect)) expect([true, false]).toContain(dissect.success.explain(line).matched)
      for (const refused of [grok, dissect].filter(Result.isFailure)) {
        const { line, column, text } = refused.failure
        expect(line).toBe(1)
        expect(pattern.slice(column - 1).startsWith(text)).toBe(true)
      }
    },
    { arbitrary: { seed, runs: 3_000 } }
  )

  it.prop(
    "dissect gives back what was joined with its literals",
    { words: Words },
    ({ words }) => {
      const pattern = words.map((_, index) => `%{f${index}}`).join(" | ")
      const found = Result.getOrThrow(compileDissect(pattern)).match(words.join(" | "))
      expect(Object.values(found?.fields ?? {})).toEqual(words)
    },
    options
  )

  it.prop(
    "appending everything with a separator joins the values",
    { words: Words },
    ({ words }) => {
      const pattern = words.map(() => "%{+all}").join(",")
      const found = Result.getOrThrow(compileDissect(pattern, { appendSeparator: "-" })).match(words.join(","))
      expect(found?.fields).toEqual({ all: words.join("-") })
    },
    options
  )

  it.prop(
    "explain and match agree on dissect",
    { line: Schema.String },
    ({ line }) => {
      const dissect = Result.getOrThrow(compileDissect("%{a->} %{b}:%{}"))
      const explanation = dissect.explain(line)
      expect(explanation.output).toEqual(dissect.match(line)?.fields)
      for (const { value, start, end } of explanation.captures) expect(line.slice(start, end)).toBe(value)
    },
    options
  )

  it.prop(
    "whole numbers are exact",
    { number: Schema.Int, digits: Schema.String.check(Schema.isPattern(/^[1-9][0-9]{0,30}$/)) },
    ({ number, digits }) => {
      expect(toInteger(String(number))).toBe(number === 0 ? 0 : number)
      expect(BigInt(toInteger(`-${digits}`)!)).toBe(-BigInt(digits))
      expect(typeof toInteger(digits)).toBe(Number.isSafeInteger(Number(digits)) ? "number" : "string")
    },
    options
  )

  it.prop(
    "numbers come back from their text",
    { number: Schema.Finite },
    ({ number }) => expect(toFloat(String(number))).toBe(Number(String(number))),
    options
  )

  it.prop(
    "text that is no number is never guessed at",
    { text: Schema.String.check(Schema.isPattern(/^[0-9]{0,3}[a-z.+-]{2,4}$/)) },
    ({ text }) => {
      expect(coerce(text, "int")).toBeUndefined()
      expect(coerce(text, "double")).toBeUndefined()
    },
    options
  )

  it.prop(
    "what is put at a path is found there",
    { path: Words, value: Schema.String },
    ({ path, value }) => {
      const fields: Fields = {}
      expect(setPath(fields, path, value)).toBe(true)
      expect(getPath(fields, path)).toBe(value)
      expect(setPath(fields, [...path, "below"], value)).toBe(false)
    },
    options
  )

  it.prop(
    "samples are the lines that are not empty, with their numbers",
    { lines: Schema.Array(Schema.String.check(Schema.isPattern(/^[^\n]*[^\n\r]$|^$/))) },
    ({ lines }) => {
      const expected = lines.flatMap((text, index) => (text === "" ? [] : [{ line: index + 1, text }]))
      expect([...samples(lines.join("\n"), "lines")]).toEqual(expected)
      expect([...samples(lines.join("\r\n"), "lines")]).toEqual(expected)
    },
    options
  )

  it.prop(
    "ASCII is what has no code above 127",
    { text: Schema.String },
    ({ text }) => expect(isAscii(text)).toBe([...text].every((letter) => letter.codePointAt(0)! < 128)),
    options
  )

  it.each([
    ["12", 12],
    ["+12", 12],
    ["-0", 0],
    ["12.9", 12],
    ["-12.9", -12],
    [" 7 ", 7],
    [".5", 0],
    ["9007199254740991", 9007199254740991],
    ["9007199254740993", "9007199254740993"],
    ["-00000000000000000000001", -1],
    ["", undefined],
    ["1e3", undefined],
    ["0x10", undefined],
    ["1_000", undefined]
  ])("%j as a whole number is %j", (text, expected) => expect(toInteger(text)).toBe(expected))
  it.each([
    ["1e3", 1000],
    ["-.5", -0.5],
    ["1.", 1],
    ["1e999", undefined],
    ["NaN", undefined],
    ["", undefined]
  ])("%j as a float is %j", (text, expected) => expect(toFloat(text)).toBe(expected))
  it.each([
    ["TRUE", true],
    ["true", true],
    ["yes", false],
    ["", false]
  ])("%j as a boolean is %j", (text, expected) => expect(coerce(text, "boolean")).toBe(expected))
})

import { describe, expect, it } from "@effect/vitest"
import { Schema } from "effect"
import type { ConversionFailure } from "../../src/languages/Coercion.ts"
import { walkingBuilder } from "../../src/languages/grok/fields/FieldBuilder.ts"
import { generatedMatch } from "../../src/languages/grok/fields/GeneratedMatch.ts"
import { type Leaf, leaves } from "../../src/languages/grok/fields/Leaf.ts"
import { seed } from "../support/random.ts"

const Path = Schema.NonEmptyArray(Schema.Literals(["a", "b", "c", "d-e", "@f"])).check(Schema.isMaxLength(3))
const Captures = Schema.NonEmptyArray(
  Schema.Struct({ path: Path, type: Schema.Literals(["string", "int", "float", "boolean"]) })
).check(Schema.isMaxLength(8))
const Texts = Schema.Array(
  Schema.Array(Schema.Literals(["", "x", "12", "-3.5", "true", "9007199254740993", "absent"])).check(
    Schema.isMinLength(8),
    Schema.isMaxLength(8)
  )
).check(Schema.isMinLength(1), Schema.isMaxLength(12))
const Certain = Schema.Array(Schema.Literals([0, 1, 2, 3, 4, 5, 6, 7])).check(Schema.isMaxLength(4))

/** Whether a field is also an object of others: such expressions are left to the walk. */
const clashes = (paths: ReadonlyArray<ReadonlyArray<string>>) =>
  paths.some((path) => paths.some((other) => other.length > path.length && path.every((key, at) => other[at] === key)))

type Match = ReadonlyArray<string | undefined>

/** Generated and walked results of matches that are given as texts of the groups. */
const both = (all: ReadonlyArray<Leaf>, numbers: ReadonlyArray<number>, certain: ReadonlySet<number> = new Set()) => {
  const known = { certain, solid: certain }
  let groups: Match = []
  const given = () => Object.assign([...groups] as Array<string>, { index: 0, input: "" }) as RegExpExecArray
  const build = walkingBuilder(all, false, numbers)
  const walk = (match: Match) => {
    const failures: Array<ConversionFailure> = []
    return { pattern: 7, fields: build(match, failures), failures }
  }
  const course = { sure: false, wary: 0 }
  const recipe = {
    pattern: 7,
    exec: given,
    numbers,
    leaves: all,
    known,
    keepEmpty: false,
    required: "",
    narrow: true
  }
  const generated = generatedMatch(recipe, course, walk)
  const match = (texts: Match) => {
    groups = texts
    return generated?.()("")
  }
  return { generated, walk, match, course }
}

describe("generated fields", () => {
  it.prop(
    "are those of the walk, with the same failures, for any expression and any lines",
    { captures: Captures, lines: Texts, certain: Certain },
    ({ captures, lines, certain }) => {
      const all = leaves(captures.map(({ path, type }) => ({ name: path.join("."), path, type })))
      const numbers = captures.map((_, index) => index + 1)
      const { generated, walk, match } = both(all, numbers, new Set(certain.filter((index) => index < numbers.length)))
      expect(generated === undefined).toBe(clashes(all.map(({ path }) => path)))
      if (generated === undefined) return
      for (const texts of lines) {
        const groups = ["", ...texts.map((text) => (text === "absent" ? undefined : text))]
        for (const index of certain) if (!groups[index + 1]) groups[index + 1] = "12"
        expect(match(groups)).toEqual(walk(groups))
      }
    },
    { arbitrary: { seed, runs: 500 } }
  )

  it("are not made for names that code could take for something else", () => {
    const one = (path: ReadonlyArray<string>) => leaves([{ name: path.join("."), path, type: "string" }])
    for (const path of [["__proto__"], ["a", "constructor"], ["1"], ["a b"], ['"]; throw 1; //'], ["\u2028"]]) {
      expect([path, both(one(path), [1]).generated]).toEqual([path, undefined])
    }
  })
})

import { describe, expect, it } from "@effect/vitest"
import { Schema } from "effect"
import type { ConversionFailure } from "../../src/services/operators/Coercion.ts"
import { walkingBuilder } from "../../src/services/operators/grok/Fields.ts"
import { generatedBuilder } from "../../src/services/operators/grok/GeneratedFields.ts"
import { leaves } from "../../src/services/operators/grok/Leaf.ts"

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

/** Whether a field is also an object of others: such expressions are left to the walk. */
const clashes = (paths: ReadonlyArray<ReadonlyArray<string>>) =>
  paths.some((path) => paths.some((other) => other.length > path.length && path.every((key, at) => other[at] === key)))

describe("generated fields", () => {
  it.prop(
    "are those of the walk, with the same failures, for any expression and any lines",
    { captures: Captures, lines: Texts },
    ({ captures, lines }) => {
      const all = leaves(captures.map(({ path, type }) => ({ name: path.join("."), path, type })))
      const numbers = captures.map((_, index) => index + 1)
      const generated = generatedBuilder(all, false, numbers)
      expect(generated === undefined).toBe(clashes(all.map(({ path }) => path)))
      const walk = walkingBuilder(all, false, numbers)
      for (const texts of lines) {
        const match = ["", ...texts.map((text) => (text === "absent" ? undefined : text))]
        const own: Array<ConversionFailure> = []
        const theirs: Array<ConversionFailure> = []
        if (generated === undefined) continue
        expect(generated(match, own)).toEqual(walk(match, theirs))
        expect(own).toEqual(theirs)
      }
    },
    { arbitrary: { runs: 500 } }
  )

  it("are not made for names that code could take for something else", () => {
    const one = (path: ReadonlyArray<string>) => leaves([{ name: path.join("."), path, type: "string" }])
    for (const path of [["__proto__"], ["a", "constructor"], ["1"], ["a b"], ['"]; throw 1; //'], ["\u2028"]]) {
      expect([path, generatedBuilder(one(path), false, [1])]).toEqual([path, undefined])
    }
  })
})

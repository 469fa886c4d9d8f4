import { Result } from "effect"
import { beforeAll, describe, expect, it } from "vitest"
import { compile } from "../../src/languages/grok/GrokMatcher.ts"
import { definitions, expression, line, random } from "./generate.ts"
import { load, search } from "./oniguruma.ts"

/** Oniguruma's search, undefined when it refuses the pattern. */
const accepts = (pattern: string): boolean => {
  try {
    search(pattern, "")
    return true
  } catch {
    return false
  }
}

describe("grok against Oniguruma itself", () => {
  beforeAll(load)

  it.each([
    ["ASCII", true, 120],
    ["other", false, 120]
  ])("agrees on generated expressions and %s lines", (_, ascii, count) => {
    let compared = 0
    const differing: Array<object> = []
    for (let seed = 1; seed <= count; seed++) {
      const source = random(seed * 7919 + (ascii ? 0 : 1))
      const generated = expression(source, ascii)
      if (!accepts(generated.oniguruma)) continue
      const compiled = Result.getOrThrow(compile([generated.pattern], { bank: "none", definitions }))
      for (let sample = 0; sample < 8; sample++) {
        const text = line(source, ascii)
        const theirs = search(generated.oniguruma, text)
        const ours = compiled.expressions[0]!.exec(text, true)
        const span = ours && [ours.match.index, ours.match.index + ours.match[0].length]
        expect({ seed, pattern: generated.pattern, text, span }).toEqual({
          seed,
          pattern: generated.pattern,
          text,
          span: theirs?.[0]
        })
        // The quick way, which tries what is exact for ASCII text alone and looks at the line afterwards.
        expect([generated.pattern, text, compiled.matchAll([text])[0] !== undefined]).toEqual([
          generated.pattern,
          text,
          theirs !== undefined
        ])
        if (ours === undefined || theirs === undefined) continue
        const values = generated.fields.map((_field, index) => ours.match[ours.numbers[index]!] ?? "")
        const expected = generated.fields.map((_field, index) => text.slice(...(theirs[index + 1] ?? [0, 0])))
        compared++
        if (values.join("\0") !== expected.join("\0")) differing.push({ seed, text, values, expected })
      }
    }
    expect(compared).toBeGreaterThan(count)
    // Groups that match nothing inside repetitions of repetitions are the one known difference.
    expect(differing.length, JSON.stringify(differing)).toBeLessThanOrEqual(compared / 500)
  })

  it.each(["(?m:a.b)(?-m:.)+$", "(?-m:a.*)(?m:.)", "(?-m:^.+$)\\n.", "a(?mi:B.)(?-m:.)", "(?m:[^a].)(?<x>.)?\\b"])(
    "agrees on where the dot matches line ends: %s",
    (pattern) => {
      const compiled = Result.getOrThrow(compile([pattern], { bank: "none" }))
      for (const text of ["a\nb\n", "a\nbc", "ab\nc", "b\n\nb", "a\nbé", "éa\nb", "\n\n\n", "aB\nb"]) {
        const theirs = search(pattern, text)
        const ours = compiled.expressions[0]!.exec(text, false)?.match
        expect([text, ours && [ours.index, ours.index + ours[0].length]]).toEqual([text, theirs?.[0]])
        expect([text, compiled.matchAll([text])[0] !== undefined]).toEqual([text, theirs !== undefined])
      }
    }
  )
})

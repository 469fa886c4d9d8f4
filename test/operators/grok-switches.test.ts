import { Result } from "effect"
import { beforeAll, describe, expect, it } from "vitest"
import { compile } from "../../src/languages/grok/GrokMatcher.ts"
import { load, search } from "./oniguruma.ts"

const lines = "aC C ab AB aB c ac abc xaBx Ab b B abC aBd D d abd cd aD".split(" ").concat("a bc", "a\nb", "")

const patterns = [
  ...["a(?i)b|c", "(?:a(?i)b|c)", "(?i)a|b", "x?a(?i)b|c(?-i)c", "a(?x) b|c", "a(?-m).|b", "(?i)a(?-i)b|c"],
  ...["a|(?i)b|c", "a|b(?i)|c", "a(?i)b|(?-i)c|d", "a(?i)b|c|d", "(?:a(?i)b|c)|d", "(?x) a b|c (?-x) d|a b"],
  ...["a(?mi)b|.c", "(?<n>(?i)a|b)c", "(?=(?i)A|b).", "a(?i)|b", "(?i)", "a(?i)|", "|(?i)a", "((?i)a|b)+c"],
  ...["(?:a(?i))b", "(?<n>a(?i)b)c", "(?i)^a|^b"]
]

describe("an option switch", () => {
  beforeAll(load)

  it.each(patterns)("spans in %s what it spans in Oniguruma", (pattern) => {
    const { exec } = Result.getOrThrow(compile([pattern], { bank: "none" })).expressions[0]!
    const ours = lines.map((line) => {
      const match = exec(line, false)?.match
      return [line, match === undefined ? undefined : [match.index, match.index + match[0].length]]
    })
    expect(ours).toEqual(lines.map((line) => [line, search(pattern, line)?.[0]]))
  })

  it("spans the alternatives behind it, so that the text before it is asked for", () => {
    const grok = Result.getOrThrow(compile(["ERROR (?i)(?<what>timeout|refused)|closed"], { bank: "none" }))
    expect(["ERROR Refused", "ERROR CLOSED", "closed by peer"].map((line) => grok.match(line)?.fields)).toEqual([
      { what: "Refused" },
      {},
      undefined
    ])
    expect(grok.explain("ERROR x").failure?.detail).toContain("none of the 2 alternatives")
  })

  it("may stand many times in a pattern, but not without a limit", () => {
    const some = Result.getOrThrow(compile(["a(?i)b|".repeat(100)], { bank: "none" }))
    expect(some.match("aB")).toBeDefined()
    const many = compile(["a(?i)b|".repeat(5000)], { bank: "none" })
    expect(Result.isFailure(many) && many.failure.message).toContain("nested more than 250 deep")
  })
})

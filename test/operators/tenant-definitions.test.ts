import { Result } from "effect"
import { describe, expect, it } from "vitest"
import { compile, type GrokOptions } from "../../src/languages/grok/GrokMatcher.ts"
import { definitionsOf, type TenantDefinitions } from "../../src/languages/grok/TenantDefinitions.ts"
import { line, random } from "./generate.ts"

let versions = 0
const shared = (...texts: ReadonlyArray<string>): TenantDefinitions => ({
  // What is compiled is kept by the version: no other test of this process may use the same.
  version: `tenant-definitions ${++versions}`,
  sources: texts.map((text, index) => ({ name: `patterns/${index}`, text })),
  leftOut: []
})

const names = ["A", "B", "C", "D", "WORD"]
const pieces = [
  "a",
  "b",
  "[0-9]+",
  ".",
  "%{A}",
  "%{B:b}",
  "%{C:c:int}",
  "%{D}",
  "%{WORD}",
  "%{NONE}",
  "(",
  "(?:a|b)?",
  " ",
  "x*"
]

describe("definitions of a tenant", () => {
  it("do what the same ones do that come with the pattern", () => {
    const source = random(4711)
    let succeeded = 0
    let failed = 0
    for (let round = 0; round < 1500; round++) {
      const lines = Array.from({ length: 1 + source.below(5) }, () => {
        const regex = Array.from({ length: 1 + source.below(3) }, () => source.pick(pieces))
          .join("")
          .trim()
        return `${source.pick(["", " "])}${source.pick(names)} ${regex === "" ? "a" : regex}`
      })
      const text = lines.join(source.pick(["\n", "\r\n", "\n\n", "\n# remark\n"]))
      const cut = source.below(lines.length + 1)
      const halves = [lines.slice(0, cut).join("\n"), lines.slice(cut).join("\n")]
      const pattern = `^%{${source.pick(names)}:x}${source.pick(["", "$", " %{A:y}"])}`
      const tried = (options: Omit<GrokOptions, "bank">) => compile([pattern], { bank: "legacy", ...options })
      const given = tried({ definitions: text })
      const whole = tried({ shared: shared(text) })
      const split = tried({ shared: shared(...halves) })
      if (Result.isSuccess(given) && Result.isSuccess(whole) && Result.isSuccess(split)) {
        succeeded++
        for (let sample = 0; sample < 5; sample++) {
          const sampled = line(source, true)
          const expected = given.success.match(sampled)
          expect([text, sampled, whole.success.match(sampled)]).toEqual([text, sampled, expected])
          expect(split.success.match(sampled)).toEqual(expected)
        }
      } else {
        failed++
        const [one, two, three] = [given, whole, split].map((result) => Result.isFailure(result) && result.failure)
        if (one === false || two === false || three === false) throw new Error(`only some compile: ${text}`)
        const place = ({ part, detail, line, column, text, pattern }: typeof one & object) =>
          JSON.stringify({ part, detail, line, column, text, pattern })
        expect(place(two!)).toBe(place(one!))
        expect([three!.detail, three!.column, three!.text]).toEqual([one!.detail, one!.column, one!.text])
      }
    }
    expect(succeeded).toBeGreaterThan(200)
    expect(failed).toBeGreaterThan(200)
  })

  it("pass over what defines nothing, whatever stands there", () => {
    const found = definitionsOf(shared("# A a\n\n  \n%{B} b\n- C c\n__proto__ x\nD\t d \n{\u0000\n\ufeffE e"))
    expect([...found].map(([name, { regex, line, column }]) => [name, regex, line, column])).toEqual([
      ["__proto__", "x", 6, 11],
      ["D", "d ", 7, 4],
      ["E", "e", 9, 4]
    ])
  })

  it("are known by their version", () => {
    const first = shared("X a")
    const second = shared("X b")
    const match = (definitions: TenantDefinitions) =>
      Result.getOrThrow(compile(["%{X:x}"], { bank: "none", shared: definitions })).match("ab")?.fields
    for (let turn = 0; turn < 2; turn++) {
      expect(match(first)).toEqual({ x: "a" })
      expect(match(structuredClone(second))).toEqual({ x: "b" })
    }
  })
})

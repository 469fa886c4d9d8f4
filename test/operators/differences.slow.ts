import { readFileSync } from "node:fs"
import { Result } from "effect"
import { describe, expect, it } from "vitest"
import { compile } from "../../src/languages/grok/GrokMatcher.ts"

const page = readFileSync(new URL("../../docs/grok-patterns.md", import.meta.url), "utf8")

/** A cell with code contains only that code; a pipe in it is escaped, a tab is `⇥`. Other cells are prose. */
const code = (cell: string): string | undefined =>
  /^`(.*)`$/.exec(cell)?.[1]?.replaceAll("\\|", "|").replaceAll("⇥", "\t")

const rows = page
  .split("\n")
  .filter((line) => /^\| (both|legacy|ecs-v1) \|/.test(line))
  .flatMap((line) => {
    const [set, expression, text, here, there] = line.slice(2, -2).split(/ (?<!\\)\| /)
    const sets = set === "both" ? (["legacy", "ecs-v1"] as const) : [set as "legacy" | "ecs-v1"]
    return sets.map((one) => ({
      set: one,
      expression: code(expression!)!,
      text: code(text!)!,
      here: here!,
      there: there!
    }))
  })

describe("the table of differences from Logstash's patterns", () => {
  it("has lines, each with a difference", () => {
    expect(rows.length).toBeGreaterThan(100)
    for (const { here, there, text } of rows) expect(here, text).not.toBe(there)
  })

  it.each(rows)("$set: $expression on $text", ({ set, expression, text, here }) => {
    const match = Result.getOrThrow(compile([expression], { bank: set })).match(text)
    const expected = code(here)
    if (expected === undefined) expect([here, match]).toEqual(["no match", undefined])
    else expect(match?.fields).toEqual(JSON.parse(expected))
  })
})

import { Result } from "effect"
import { describe, expect, it } from "vitest"
import { quadratic } from "../../src/languages/grok/banks/Banks.ts"
import { compile, type Grok } from "../../src/languages/grok/GrokMatcher.ts"
import { generalTopics, topicPatterns } from "../operators/banks/general-topics.ts"
import type { Samples } from "../operators/banks/sample.ts"
import { isQuick, millisOf, quadraticMillis } from "../operators/processorTime.ts"

const atoms = "a A 1 0 f - . : / \\ \" ' @ = % _ [ ] ( { a. a: 1. /a a␣ 1: ␣ ⇥"
  .split(" ")
  .map((atom) => atom.replace("␣", " ").replace("⇥", "\t"))

/** One of each kind of atom, for cubic growth or worse, which any repeated text shows. */
const fillers = ["a", "1", " ", "- ", "a ", "/", "[a]", "}", '\\"', " S=1", "a:", "\n"]

/** An atom repeated to `length` characters, and an end that no pattern expects. */
const nearMiss = (atom: string, length: number): string =>
  `${atom.repeat(Math.ceil(length / atom.length)).slice(0, length)}\x02`

const isQuickOn = (grok: Grok, line: string, millis: number) => isQuick(() => grok.match(line), millis)
const enough = quadraticMillis(2000)
const time = (grok: Grok, line: string): number => millisOf(() => grok.match(line))

/** The atom whose time grows most from 500 to 2000 characters, with the exponent. Negligible times count as flat. */
const growth = (grok: Grok) => {
  let worst = { atom: "", exponent: 0 }
  for (const atom of atoms) {
    const long = nearMiss(atom, 2000)
    if (isQuickOn(grok, long, enough)) continue
    const exponent = Math.log2(time(grok, long) / time(grok, nearMiss(atom, 500))) / 2
    if (exponent > worst.exponent) worst = { atom, exponent }
  }
  return worst
}

const all = await topicPatterns()
const patterns = [
  ...Object.entries(all.legacy).map(([name, regex]) => ({ set: "legacy" as const, name, regex })),
  ...Object.entries(all["ecs-v1"])
    .filter(([name, regex]) => all.legacy[name] !== regex)
    .map(([name, regex]) => ({ set: "ecs-v1" as const, name, regex }))
]
/** What is compiled already, also longer ago than `compile` itself keeps it. */
const compiled = new Map<string, Grok>()
const grok = (set: "legacy" | "ecs-v1", pattern: string): Grok => {
  const key = `${set} ${pattern}`
  const made = compiled.get(key) ?? Result.getOrThrow(compile([pattern], { bank: set }))
  compiled.set(key, made)
  return made
}

describe.each(patterns)("$set $name", ({ set, name }) => {
  it("grows with the line when it has to match all of it", () => {
    const { atom, exponent } = growth(grok(set, `\\A%{${name}}\\z`))
    expect(exponent, `on ${JSON.stringify(atom)}`).toBeLessThan(1.6)
  })

  it("grows with the line when it may match anywhere", () => {
    const { atom, exponent } = growth(grok(set, `%{${name}}`))
    expect(exponent, `on ${JSON.stringify(atom)}`).toBeLessThan(quadratic.has(name) ? 2.7 : 1.6)
  })

  it("is at most quadratic when what follows it is missing", () => {
    const followed = grok(set, `%{${name}}\\x01`)
    for (const atom of fillers) {
      const line = nearMiss(atom, 500)
      expect(isQuickOn(followed, line, 50), `on ${JSON.stringify(atom)}`).toBe(true)
    }
  })
})

const lines = await Promise.all(
  generalTopics.map(async ({ set, topic }) => {
    const { samples }: { samples: Samples } = await import(`../operators/banks/${topic}.ts`)
    // What is the same in both sets needs one look.
    const isNew = (name: string) => set === "legacy" || all.legacy[name] !== all[set][name]
    const known = samples.lines
      .filter(({ name }) => name in all[set] && isNew(name))
      .filter(({ only }) => (only ?? set) === set)
    return known.map(({ name, line }) => ({ set, name, line }))
  })
)

describe("with nonsense in the middle of a good line", () => {
  it.each(lines.flat())("$set $name is at most quadratic in $line", ({ set, name, line }) => {
    const followed = grok(set, `%{${name}}\\x01`)
    for (const share of [0.5, 1])
      for (const filler of fillers) {
        const cut = Math.ceil(line.length * share)
        const text = line.slice(0, cut) + nearMiss(filler, 500) + line.slice(cut)
        if (!isQuickOn(followed, text, 50)) expect.fail(JSON.stringify(text))
      }
  })
})

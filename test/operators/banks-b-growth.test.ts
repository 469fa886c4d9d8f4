import { Result } from "effect"
import { describe, expect, it } from "vitest"
import { bank, type PatternSet } from "../../src/languages/grok/banks/Banks.ts"
import { compile } from "../../src/languages/grok/Grok.ts"
import { topics } from "./banks/device-topics.ts"
import { leastTime } from "./processorTime.ts"

/** What near-misses repeat: the pieces that addresses, numbers, names and separators are made of. */
const atoms = [
  ["a", "1", "-", " ", "\t", ":", ".", "/", ";", ",", "(", ")", '"', "[", "]", "=", "0x", "a:", "1.", "::", "a ", "1 "],
  ["a;", "-\t", "1\t", "a.", "é", "\n"]
].flat()

const repeated = (atom: string, length: number) => atom.repeat(Math.ceil(length / atom.length))

/** Texts that a pattern nearly takes: atoms alone, in place of a good line's rest, and broken good lines in a row. */
const families = (line: string): ReadonlyArray<(atom: string, length: number) => string> => [
  (atom, length) => `${repeated(atom, length)}!`,
  ...[0.2, 0.4, 0.6, 0.8, 1].map((share) => {
    const head = line.slice(0, Math.floor(line.length * share))
    return (atom: string, length: number) => `${head}${repeated(atom, length)}\u0000`
  }),
  (atom, length) => repeated(line.slice(0, -1) + atom, length)
]

/** Of the quickest of five runs, or of the first that is quick enough to ask no more. */
const time = (run: () => unknown, enough: number): number => leastTime(run, 5, enough)

/** Four times the text may cost this much more time: 4 is linear, 16 quadratic; the rest is for a busy machine. */
const ceiling = 10

/** Pairs of lengths, with the milliseconds below which the longer one needs no comparison. */
const steps: ReadonlyArray<readonly [short: number, long: number, enough: number]> = [
  [500, 2000, 4],
  [2000, 8000, 16]
]

const slow = (set: PatternSet, name: string, line: string): ReadonlyArray<string> =>
  [`%{${name}}`, `^%{${name}}$`].flatMap((pattern) => {
    const grok = Result.getOrThrow(compile([pattern], { bank: set }))
    return families(line).flatMap((family, kind) =>
      atoms.flatMap((atom) =>
        steps.flatMap(([short, long, enough]) => {
          const text = family(atom, long)
          const longer = time(() => grok.match(text), enough)
          if (longer < enough) return []
          const shorter = time(() => grok.match(family(atom, short)), 0)
          if (longer / shorter < ceiling) return []
          return [`${pattern} family ${kind} of ${JSON.stringify(atom)}: ${shorter} ms, then ${longer} ms`]
        })
      )
    )
  })

describe.each(["legacy", "ecs-v1"] as const)("%s", (set) => {
  it.each(Object.entries(topics))(
    "%s patterns take time in proportion to the text",
    { timeout: 120_000 },
    (_, samples) => {
      const lines = new Map<string, string>()
      for (const [name, text, legacy, ecs] of samples) {
        if (typeof (set === "legacy" ? legacy : ecs) !== "string" || !bank(set).has(name)) continue
        if (text.length > (lines.get(name)?.length ?? 0)) lines.set(name, text)
      }
      expect([...lines].flatMap(([name, line]) => slow(set, name, line))).toEqual([])
    }
  )
})

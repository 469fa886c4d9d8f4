import { Result } from "effect"
import { describe, expect, it } from "vitest"
import { bank, type PatternSet } from "../../src/languages/grok/banks/Banks.ts"
import { mayRunAway } from "../../src/languages/grok/GrokFilter.ts"
import { compile } from "../../src/languages/grok/GrokMatcher.ts"
import { topics } from "../operators/banks/device-topics.ts"
import { generalTopics } from "../operators/banks/general-topics.ts"
import type { Samples } from "../operators/banks/sample.ts"
import { isQuick, millisOf, quadraticMillis } from "../operators/processorTime.ts"

/** Texts of which each pattern takes all or a part. */
const known: Record<PatternSet, Map<string, Array<string>>> = { legacy: new Map(), "ecs-v1": new Map() }
const add = (set: PatternSet, name: string, text: string) => {
  if (bank(set).has(name)) known[set].set(name, [...(known[set].get(name) ?? []), text])
}
for (const { set, topic } of generalTopics) {
  const { samples }: { samples: Samples } = await import(`../operators/banks/${topic}.ts`)
  for (const { name, line, only } of samples.lines) if ((only ?? set) === set) add(set, name, line)
  for (const [name, { yes }] of Object.entries(samples.texts)) for (const text of yes) add(set, name, text)
}
for (const samples of Object.values(topics))
  for (const [name, text, legacy, ecs] of samples) {
    if (typeof legacy === "string") add("legacy", name, text)
    if (typeof ecs === "string") add("ecs-v1", name, text)
  }

const atoms = [...'a1 \t/.-:"[(=,\n{\\']
const [short, long] = [1024, 4096]
/**
 * A quarter of the simplest quadratic search is acceptable. Above it, a fourth of the text must take a fourth of the
 * time.
 */
const enough = quadraticMillis(long) / 4
const ceiling = 10

const stretched = (head: string, atom: string, length: number): string =>
  `${head}${atom.repeat(Math.ceil(length / atom.length)).slice(0, length)}\x02`

/** The prefixes of a line up to each word, run of blanks or sign, and the text that is repeated after each. */
const stretches = (line: string): ReadonlyArray<readonly [head: string, atom: string]> => {
  const cuts = [...line.matchAll(/\w+|\s+|[^\w\s]/g)].flatMap(({ index, 0: { length } }) => [index, index + length])
  return [...new Set([0, ...cuts])].flatMap((cut) => {
    const head = line.slice(0, cut)
    const near = [/\w+\W*$|\W+$/.exec(head)?.[0], /^\W*\w+\W?/.exec(line.slice(cut))?.[0]]
    const whole = cut === 0 || cut === line.length ? [line] : []
    const repeated = [...atoms, ...near, ...whole].filter((atom) => atom !== undefined && atom !== "")
    return [...new Set(repeated)].map((atom) => [head, atom!] as const)
  })
}

/** The expansion of a name with all nested names replaced, without fields. */
const written = (set: PatternSet, name: string): string =>
  (bank(set).get(name) ?? "").replace(/%\{(\w+)[^}]*\}/g, (_, inner: string) => `(?:${written(set, inner)})`)

/** Patterns that may take long are under a timeout instead. */
const cases = (["legacy", "ecs-v1"] as const).flatMap((set) =>
  [...bank(set).keys()]
    .filter((name) => set === "legacy" || !bank("legacy").has(name) || written(set, name) !== written("legacy", name))
    .map((name) => ({ set, name, grok: Result.getOrThrow(compile([`%{${name}}`], { bank: set })) }))
    .filter(({ grok }) => !grok.expressions.some(({ tree }) => mayRunAway(tree.root)))
)

describe.each(cases)("$set $name", ({ set, name, grok }) => {
  const lines = (known[set].get(name) ?? [""]).toSorted((a, b) => b.length - a.length).slice(0, 2)

  it("takes time in proportion to a text that goes on behind any of its parts", () => {
    const slow = lines.flatMap(stretches).filter(([head, atom]) => {
      const match = (length: number) => () => grok.match(stretched(head, atom, length))
      return !isQuick(match(long), enough) && millisOf(match(long)) / millisOf(match(short)) >= ceiling
    })
    expect(slow).toEqual([])
  })
})

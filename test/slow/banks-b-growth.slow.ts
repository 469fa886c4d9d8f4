import { Result } from "effect"
import { describe, expect, it } from "vitest"
import { bank, type PatternSet } from "../../src/languages/grok/banks/Banks.ts"
import { compile } from "../../src/languages/grok/GrokMatcher.ts"
import { topics } from "../operators/banks/device-topics.ts"
import { isQuick, millisOf, quadraticMillis } from "../operators/processorTime.ts"

/** What near-misses repeat: the pieces that addresses, numbers, names and separators are made of. */
const atoms = ["a", "1", "-", " ", "\t", ":", ".", "/", ",", "(", '"', "=", "a:", "1.", "a ", "1 ", "-\t", "é", "\n"]

const ascii = atoms.filter((atom) => atom !== "é")

const repeated = (atom: string, length: number) => atom.repeat(Math.ceil(length / atom.length))

/**
 * Texts that a pattern almost matches: repeated atoms alone, in place of the rest of a matching line, and broken
 * matching lines in a row.
 */
const families = (line: string): ReadonlyArray<(atom: string, length: number) => string> => [
  (atom, length) => `${repeated(atom, length)}!`,
  ...[0.5, 1].map((share) => {
    const head = line.slice(0, Math.floor(line.length * share))
    return (atom: string, length: number) => `${head}${repeated(atom, length)}\u0000`
  }),
  (atom, length) => repeated(line.slice(0, -1) + atom, length)
]

/** Four times the text may cost this much more time: 4 is linear, 16 quadratic. */
const ceiling = 10

/** The compared lengths, and the milliseconds below which the longer one needs no comparison. */
const [short, long] = [500, 2000]
const enough = quadraticMillis(long)

/** The expansion of a name with all nested names replaced, without fields. */
const written = (set: PatternSet, name: string): string =>
  (bank(set).get(name) ?? "").replace(/%\{(\w+)[^}]*\}/g, (_, inner: string) => `(?:${written(set, inner)})`)

const slow = (set: PatternSet, name: string, line: string): ReadonlyArray<string> =>
  [`%{${name}}`, `^%{${name}}$`].flatMap((pattern) => {
    const grok = Result.getOrThrow(compile([pattern], { bank: set }))
    return families(line).flatMap((family, kind) =>
      // Texts beyond ASCII have separate matchers, which are compiled for only one of the two.
      (pattern.startsWith("^") ? ascii : atoms).flatMap((atom, at) => {
        // Each atom follows one of the two heads.
        if ((kind === 1 || kind === 2) && at % 2 === kind % 2) return []
        const text = family(atom, long)
        if (isQuick(() => grok.match(text), enough)) return []
        const longer = millisOf(() => grok.match(text))
        const less = family(atom, short)
        const shorter = millisOf(() => grok.match(less))
        if (longer / shorter < ceiling) return []
        return [`${pattern} family ${kind} of ${JSON.stringify(atom)}: ${shorter} ms, then ${longer} ms`]
      })
    )
  })

describe.each(["legacy", "ecs-v1"] as const)("%s", (set) => {
  it.each(Object.entries(topics))(
    "%s patterns take time in proportion to the text",

    (_, samples) => {
      const lines = new Map<string, string>()
      for (const [name, text, legacy, ecs] of samples) {
        if (typeof (set === "legacy" ? legacy : ecs) !== "string" || !bank(set).has(name)) continue
        if (text.length > (lines.get(name)?.length ?? 0)) lines.set(name, text)
      }
      // What is the same in both sets needs one look.
      const isNew = (name: string) =>
        set === "legacy" || !bank("legacy").has(name) || written(set, name) !== written("legacy", name)
      const looked = [...lines].filter(([name]) => isNew(name))
      expect(looked.flatMap(([name, line]) => slow(set, name, line))).toEqual([])
    }
  )
})

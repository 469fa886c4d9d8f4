import { readFileSync } from "node:fs"
import { isIPv4, isIPv6 } from "node:net"
import { Result } from "effect"
import { describe, expect, it } from "vitest"
import { bank, type PatternSet } from "../../src/languages/grok/banks/Banks.ts"
import { compile, type Grok } from "../../src/languages/grok/GrokMatcher.ts"
import { compositions } from "./banks/compositions.ts"
import { generalTopics, patternsOf } from "./banks/general-topics.ts"
import type { Row, Samples } from "./banks/sample.ts"
import { flatten } from "./cases.ts"
import { random } from "./generate.ts"

interface Interface {
  readonly name: string
  readonly uses: ReadonlyArray<string>
  readonly fields: ReadonlyArray<{ readonly field: string; readonly as?: string; readonly type?: string }>
}

const interfaces: Record<PatternSet, Record<string, ReadonlyArray<Interface>>> = JSON.parse(
  readFileSync(new URL("../data/grok-bank.json", import.meta.url), "utf8")
)
const owned = generalTopics.map(({ set, topic }) => ({ set, topic, expected: interfaces[set][topic]! }))

/** References and named groups of a pattern, in the order of their text. */
const references = (regex: string) =>
  [...regex.matchAll(/%\{(\w+)(?::([^:}]+)(?::(\w+))?)?\}|\(\?<([^>=!]+)>/g)].map(([, as, field, type, group]) => ({
    as,
    field: field ?? group,
    type
  }))

const compiled = new Map<string, Grok>()
const grok = (set: PatternSet, pattern: string): Grok => {
  const known = compiled.get(set + pattern)
  if (known !== undefined) return known
  const made = Result.getOrThrow(compile([pattern], { bank: set }))
  compiled.set(set + pattern, made)
  return made
}

const expectedFields = (set: PatternSet, rows: ReadonlyArray<Row>) =>
  Object.fromEntries(
    rows
      .map(([legacy, ecs, value]): readonly [string, string | number] =>
        set === "legacy" ? [legacy, String(value)] : [ecs, value]
      )
      .filter(([field]) => field !== "")
  )

describe.each(owned)("$set/$topic", async ({ set, topic, expected }) => {
  const patterns = await patternsOf(set, topic)
  const samples: Samples = (await import(`./banks/${topic}.ts`)).samples
  const names = expected.map(({ name }) => name)

  it("has the names of the interface", () => {
    expect(Object.keys(patterns).sort()).toEqual([...names].sort())
  })

  it.each(expected)("$name uses and captures what the interface says", ({ name, uses, fields }) => {
    const found = references(patterns[name]!)
    const used = found.flatMap(({ as }) => (as === undefined ? [] : [as]))
    expect([...new Set(used)].sort()).toEqual([...uses].sort())
    for (const one of used) expect(bank(set).has(one), one).toBe(true)
    const captures = found.filter(({ field }) => field !== undefined).map((one) => JSON.stringify(one))
    const wanted = fields.map(({ field, as, type }) => JSON.stringify({ as, field: field.replace("?", ""), type }))
    expect(captures.sort()).toEqual(wanted.sort())
    expect(grok(set, `%{${name}}`)).toBeDefined()
  })

  it("has samples for and against every name", () => {
    const unmissable = new Set(["SPACE", "DATA", "GREEDYDATA", "JAVALOGMESSAGE", "HAPROXYCAPTUREDREQUESTHEADERS"])
    unmissable
      .add("HAPROXYCAPTUREDRESPONSEHEADERS")
      .add("RAILS3PROFILE")
      .add("EXIM_QUOTED_CONTENT")
      .add("EXIM_NAMED_FIELDS")
    const positive = names.filter(
      (name) => samples.texts[name]?.yes.length || samples.lines.some((line) => line.name === name)
    )
    const negative = names.filter((name) => samples.texts[name]?.no.length || samples.misses[name]?.length)
    expect(positive).toEqual(names)
    expect(names.filter((name) => !negative.includes(name) && !unmissable.has(name))).toEqual([])
  })

  const texts = Object.entries(samples.texts).filter(([name]) => names.includes(name))
  it.each(texts.map(([name, { yes, no }]) => ({ name, yes, no })))("$name takes whole texts", ({ name, yes, no }) => {
    const whole = grok(set, `\\A%{${name}}\\z`)
    for (const text of yes) expect(whole.match(text), text).toBeDefined()
    for (const text of no) expect(whole.match(text), text).toBeUndefined()
  })

  const lines = samples.lines.filter(({ name, only }) => names.includes(name) && (only ?? set) === set)
  it.each(lines.map((line) => [line.name, line.line, line.rows] as const))("%s of %s", (name, line, rows) => {
    const found = grok(set, `%{${name}}`).match(line)
    if (found === undefined) return expect.fail("no match")
    expect(flatten(found.fields)).toEqual(expectedFields(set, rows))
    expect(found.failures).toEqual([])
  })

  const misses = Object.entries(samples.misses).filter(([name]) => names.includes(name))
  it.each(misses)("%s is not in other lines", (name, others) => {
    for (const line of others) expect(grok(set, `%{${name}}`).match(line), line).toBeUndefined()
  })
})

describe.each(["legacy", "ecs-v1"] as const)("general patterns together in %s", (set) => {
  it.each(compositions)("%s in %s", (pattern, line, fields) => {
    expect(grok(set, pattern).match(line)?.fields).toEqual(fields)
  })

  it("take every number of an address up to 255, with as many zeros as fill three digits", () => {
    const four = grok(set, "^%{IPV4:ip}$")
    for (let number = 0; number < 1000; number++)
      for (const text of new Set([1, 2, 3, 4].map((digits) => String(number).padStart(digits, "0")))) {
        const isOctet = number <= 255 && text.length <= 3
        expect([text, four.match(`1.${text}.1.1`)?.fields["ip"]]).toEqual([text, isOctet ? `1.${text}.1.1` : undefined])
      }
  })

  it("take the addresses that Node takes", () => {
    const source = random(20260)
    const groups = ["1", "ab", "ffff", "0", "", "", "12345", "g", "1.2.3.4", "255.255.255.255", "256.1.1.1", "1.2.3"]
    const group = () => (source.below(100) < 80 ? groups[source.below(6)]! : source.pick(groups))
    const six = grok(set, "\\A%{IPV6}\\z")
    const four = grok(set, "\\A%{IPV4}\\z")
    for (let round = 0; round < 3000; round++) {
      const text = Array.from({ length: 1 + source.below(9) }, group).join(":")
      expect([text, six.match(text) !== undefined]).toEqual([text, isIPv6(text)])
      const digits = Array.from({ length: 3 + source.below(3) }, () => source.below(source.pick([260, 1200]))).join(".")
      expect([digits, four.match(digits) !== undefined]).toEqual([digits, isIPv4(digits)])
    }
  })
})

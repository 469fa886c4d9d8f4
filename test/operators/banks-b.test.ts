import { readFileSync } from "node:fs"
import { Result } from "effect"
import { describe, expect, it } from "vitest"
import type { PatternSet } from "../../src/languages/grok/banks/Banks.ts"
import { compile, type Grok } from "../../src/languages/grok/GrokMatcher.ts"
import { topics } from "./banks/device-topics.ts"
import { dotted, fieldsOf, type Sample } from "./banks/expected.ts"

interface Field {
  readonly field: string
  readonly as?: string
  readonly type?: string
}

interface Interface {
  readonly name: string
  readonly uses: ReadonlyArray<string>
  readonly fields: ReadonlyArray<Field>
}

const sets: ReadonlyArray<PatternSet> = ["legacy", "ecs-v1"]

const interfaces: Readonly<Record<PatternSet, Readonly<Record<string, ReadonlyArray<Interface>>>>> = JSON.parse(
  readFileSync(new URL("../data/grok-bank.json", import.meta.url), "utf8")
)

const compiled = new Map<string, Grok>()
const grok = (set: PatternSet, pattern: string): Grok => {
  const known = compiled.get(set + pattern)
  if (known !== undefined) return known
  const made = Result.getOrThrow(compile([pattern], { bank: set }))
  compiled.set(set + pattern, made)
  return made
}

/** A sample's name may be an expression round its pattern. */
const expressionOf = (name: string): string => (name.includes("%{") ? name : `%{${name}}`)
const nameOf = (name: string): string => /%\{(\w+)/.exec(expressionOf(name))![1]!
const expectedIn = (set: PatternSet, [, , legacy, ecs]: Sample) => (set === "legacy" ? legacy : ecs)

const references = (regex: string) => [...regex.matchAll(/%\{(\w+)(?::([^:}]+)(?::(\w+))?)?\}/g)]

/** What a definition captures and refers to, sorted, as the interface lists it. */
const shapeOf = (regex: string) => {
  const referred = references(regex).flatMap(
    ([, as, field, type]): ReadonlyArray<Field> =>
      field === undefined ? [] : [{ field, as: as!, ...(type === undefined ? {} : { type }) }]
  )
  const inline = [...regex.matchAll(/\(\?<([^>=!]+)>/g)].map(([, field]): Field => ({ field: field! }))
  return shape({ uses: references(regex).map(([, name]) => name!), fields: [...referred, ...inline] })
}

const shape = ({ uses, fields }: Pick<Interface, "uses" | "fields">) => ({
  uses: [...new Set(uses)].sort(),
  fields: fields.map(({ field, as, type }) => [field, as ?? "", type ?? ""].join("|")).sort()
})

/** The interface spells this field with a question mark, which no reference can hold: a misprint. */
const corrected = (one: Interface): Interface => ({
  ...one,
  fields: one.fields.map((field) => ({ ...field, field: field.field.replace("[name?]", "[name]") }))
})

for (const set of sets)
  for (const [topic, samples] of Object.entries(topics)) {
    const known = interfaces[set][topic]
    if (known === undefined) continue
    describe(`${set} ${topic}`, async () => {
      const { patterns }: { readonly patterns: Readonly<Record<string, string>> } = await import(
        `../../src/languages/grok/banks/${set}/${topic}.ts`
      )
      const own = samples.filter((sample) => typeof expectedIn(set, sample) === "string")
      const not = samples.filter((sample) => expectedIn(set, sample) === false && nameOf(sample[0]) in patterns)

      it("has the names of the interface and no other", () => {
        expect(Object.keys(patterns).sort()).toEqual(known.map(({ name }) => name).sort())
      })

      it.each(known)("$name captures and uses what it should", (one) => {
        expect(shapeOf(patterns[one.name]!)).toEqual(shape(corrected(one)))
      })

      it.each(known)("$name has samples for itself and for each of its fields", (one) => {
        expect(not.map(([name]) => nameOf(name))).toContain(one.name)
        const found = own.filter(([name]) => nameOf(name) === one.name).map((sample) => expectedIn(set, sample))
        expect(found).not.toEqual([])
        const names = new Set(found.flatMap((fields) => Object.keys(fieldsOf(fields as string))))
        const missing = corrected(one)
          .fields.map(({ field }) => field.replace(/^\[|\]$/g, "").replaceAll("][", "."))
          .filter((field) => !names.has(field))
        expect(missing).toEqual([])
      })

      it.each(own)("%s takes %s", (...sample) => {
        const found = grok(set, expressionOf(sample[0])).match(sample[1])
        if (found === undefined) return expect.fail("no match")
        expect(dotted(found.fields)).toEqual(fieldsOf(expectedIn(set, sample) as string))
        expect(found.failures).toEqual([])
      })

      it.each(not)("%s refuses %s", (name, text) => {
        expect(grok(set, expressionOf(name)).match(text)).toBeUndefined()
      })
    })
  }

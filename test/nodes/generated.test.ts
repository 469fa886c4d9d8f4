import { it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { describe, expect } from "vitest"
import { compile, compileExtend } from "../../src/languages/dissect/Dissector.ts"
import { predicate, selector } from "../../src/languages/expression/Compile.ts"
import { toNumber } from "../../src/languages/expression/Values.ts"
import { fieldPath, getPath } from "../../src/languages/FieldPath.ts"
import { extender, fieldReader } from "../../src/languages/Generated.ts"
import { csv } from "../../src/nodes/processing/Csv.ts"
import { kv } from "../../src/nodes/processing/Kv.ts"
import { mutate } from "../../src/nodes/processing/Mutate.ts"
import { seed } from "../support/random.ts"
import { of } from "./one.ts"

const index = (length: number) => Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: length - 1 }))
const names = ["a", "a.b", "__proto__", "toString", "constructor", 'odd "name"\u2028', "hasOwnProperty", ""]

describe("generated code", () => {
  it.prop(
    "reads and adds members of any name as the plain functions do",
    { value: Schema.Json, other: Schema.Json, name: index(names.length) },
    ({ value, other, name }) => {
      const key = names[name]!
      const event = Object.fromEntries([[key, value]]) as Record<string, never>
      for (const one of [event, {}]) {
        expect(fieldReader([key])(one)).toEqual(getPath(one, [key]))
        const made = extender([key, "z"])(one, [other, 1])
        expect(Object.entries(made)).toEqual(Object.entries({ ...one, ...Object.fromEntries([[key, other]]), z: 1 }))
        expect(Object.getPrototypeOf(made)).toBe(Object.prototype)
      }
    },
    { arbitrary: { seed, runs: 300 } }
  )

  const texts = [
    "",
    "0",
    "7",
    "007",
    "500",
    "+5",
    "-5",
    " 5",
    "5.",
    ".5",
    "1e2",
    "0x1f",
    "0b1",
    "1e9",
    "99999",
    "999999",
    "1_0"
  ]
  it("takes the same texts for numbers as the language says", () => {
    const numeric = /^\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\s*$/
    for (const text of [...texts, "Infinity", "0xffff", "12345678901234567890", "\u00a05", "a"]) {
      expect([text, toNumber(text)]).toEqual([text, numeric.test(text) ? Number(text) : null])
    }
  })

  const operands = ["a", "b", "toString", "a.b", "5", "500", '"x"', '"5"', "null", "missing", "event"]
  const lists = ['["x", "GET"]', '["x", "5"]', '["a b"]', "[5]"]
  const tests = [
    ...operands.flatMap((left) => ["==", "!=", "<", ">="].map((operator) => [left, operator, operands] as const)),
    ...operands.flatMap((left) => ["in", "not in"].map((operator) => [left, operator, lists] as const))
  ]
  const Value = Schema.Union([Schema.Json, Schema.Literals(["x", "5", "500", "GET", "a b", ...texts])])
  it.prop(
    "chooses the events that the expression holds for",
    {
      a: Value,
      b: Value,
      one: index(tests.length),
      two: index(tests.length),
      right: index(4),
      joint: index(4)
    },
    ({ a, b, one, two, right, joint }) => {
      const part = (at: number) => {
        const [left, operator, all] = tests[at]!
        return `(${left} ${operator} ${all[right % all.length]})`
      }
      const text = [`${part(one)}`, `${part(one)} and ${part(two)}`, `not ${part(one)} or ${part(two)}`, `a`][joint]!
      const events: ReadonlyArray<Readonly<Record<string, unknown>>> = [{ a, b }, { b }, {}, { a: b, toString: a }]
      expect([text, selector(text)(events)]).toEqual([text, events.filter(predicate(text))])
    },
    { arbitrary: { seed, runs: 2000 } }
  )

  const patterns = ["%{a} %{b}", "<%{a->} %{} %{c}]", "%{a},%{b},", 'x"%{toString}"%{?skip} %{c}', "%{a}\\%{b}'%{c}"]
  const pieces = [" ", "<", "a", ",", "]", '"', 'x"', "\\", "'", "é", "  "]
  it.prop(
    "cuts a line as the dissector does",
    { pattern: index(patterns.length), picks: Schema.Array(index(pieces.length)) },
    ({ pattern, picks }) => {
      const line = picks.map((pick) => pieces[pick]).join("")
      const compiled = compile(patterns[pattern]!)
      const extend = compileExtend(patterns[pattern]!, {})
      if (compiled._tag === "Failure") return
      const found = compiled.success.match(line)
      const event = { a: "old", k: 1 }
      const wanted = found === undefined ? undefined : Object.entries({ ...event, ...found.fields })
      const made = extend?.(line, event)
      expect(made === undefined ? undefined : Object.entries(made)).toEqual(wanted)
    },
    { arbitrary: { seed, runs: 1000 } }
  )

  const values = [
    "1",
    "a b",
    '"q r"',
    '"',
    "",
    "'x'",
    "(a b)",
    "a=b",
    "x\\ y",
    "é",
    "\u00a0",
    '"a\\"b"',
    "a,",
    "[z",
    'a"b'
  ]
  const keys = ["a", "b", "c.d", "_source", '"k"', "é"]
  const Texts = Schema.Array(Schema.Array(Schema.Tuple([index(keys.length), index(values.length), index(3)])))
  it.effect.prop(
    "reads pairs with the keys of earlier texts as it reads them first",
    { texts: Texts, options: index(3) },
    ({ texts, options }) =>
      Effect.promise(async () => {
        const settings = [{}, { whitespace: "strict" }, { include_brackets: false, field_split: ";" }][options]!
        const lines = texts.map((pairs) =>
          pairs
            .map(([key, value, gap]) => `${keys[key]}=${values[value]}${[" ", "  ", ";"][gap]}`)
            .join("")
            .trimEnd()
        )
        const usual = ["a=1 b=2", "a=1;b=2", 'a="x y" b=z', "a=1 b=(x y)", "b=1", "a=1 b=2 "]
        const all = [
          ...Array(4)
            .fill([...usual, ...lines])
            .flat()
        ]
        const { records } = await of(kv, settings, all)
        // With defaults, every text is read by itself.
        const alone = await of(kv, { ...settings, default_keys: {} }, all)
        const order = (events: ReadonlyArray<object>) => events.map((event) => Object.entries(event))
        expect(order(records)).toEqual(order(alone.records))
      }),
    { arbitrary: { seed, runs: 200 } }
  )

  it.effect.prop(
    "makes records of csv as the general way does",
    { rows: Schema.Array(Schema.Array(index(10))) },
    ({ rows }) =>
      Effect.promise(async () => {
        const cells = ["1", "-7", "1.5", "", "x", '"a, b"', "12345678901234567890", "007", ".5", "5."]
        const texts = rows.map((row) => [0, 1, 2].map((at) => cells[row[at] ?? 0]).join(","))
        const settings = { columns: ["a", "message", "c"], types: { a: "integer", c: "float" } }
        const { records, errors } = await of(csv, settings, texts)
        const inside = await of(csv, { ...settings, target: "t" }, texts)
        expect(errors).toEqual(inside.errors)
        expect(records).toEqual(
          inside.records
            .map((record) => ({ ...record, ...(record["t"] as object), t: undefined }))
            .map(({ t: _, ...rest }) => rest)
        )
      }),
    { arbitrary: { seed, runs: 200 } }
  )

  it.effect.prop(
    "changes a record alike, whatever records came before",
    { picks: Schema.Array(Schema.Array(index(6))) },
    ({ picks }) =>
      Effect.promise(async () => {
        const members = ["a", "b", "c", "x", "y", "__proto__"]
        const events = picks.map((pick) => Object.fromEntries(pick.map((at, value) => [members[at]!, `v${value}`])))
        const operations = [
          { rename: { a: "x" } },
          { set: { y: "%{b}" }, where: "exists(b)" },
          { rename: { c: "a" } },
          { set: { x: "again" }, where: "not exists(c)" },
          { remove: ["b"] }
        ]
        const together = await of(mutate, { operations }, events)
        const order = (all: ReadonlyArray<object>) => all.map((event) => Object.entries(event))
        for (const [at, event] of events.entries()) {
          const alone = await of(mutate, { operations }, [event])
          expect(order([together.records[at]!])).toEqual(order(alone.records))
        }
      }),
    { arbitrary: { seed, runs: 200 } }
  )

  it("reads nested fields by their paths", () => {
    expect(fieldReader(fieldPath("a.b"))({ a: { b: 1 } })).toBe(1)
  })
})

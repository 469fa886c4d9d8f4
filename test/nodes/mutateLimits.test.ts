import { it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { describe, expect } from "vitest"
import type { Guard } from "../../src/languages/Guard.ts"
import type { Event } from "../../src/nodes/Node.ts"
import { mutate } from "../../src/nodes/processing/Mutate.ts"
import { seed } from "../support/random.ts"
import { Memory } from "./memory.ts"
import { of } from "./one.ts"

/** What operations make of one event, or why it fails. */
const made = async (event: Event, ...operations: ReadonlyArray<object>) => {
  const { records, errors } = await of(mutate, { operations }, [event])
  return errors[0] ?? records[0]
}

describe("mutate of what may come", () => {
  it("keeps odd names of records, and changes no prototype", async () => {
    const odd = JSON.parse('{"__proto__":{"x":1},"constructor":2,"a":1,"toString":3}') as Event
    const removed = await made(odd, { remove: ["a"] })
    expect(JSON.stringify(removed)).toBe('{"__proto__":{"x":1},"constructor":2,"toString":3}')
    expect(await made({ b: 1 }, { copy: { toString: "c", valueOf: "d" } })).toEqual({ b: 1 })
    const names = JSON.parse('{"__proto__.x":1,"constructor.prototype.y":2,"a.b":3}') as Event
    expect(JSON.stringify(await made(names, { expand: { separator: "." } }))).toBe(
      '{"__proto__.x":1,"constructor.prototype.y":2,"a":{"b":3}}'
    )
    expect(JSON.stringify(await made(odd, { flatten: {} }))).toBe(
      '{"__proto___x":1,"constructor":2,"a":1,"toString":3}'
    )
    expect(({} as Event)["x"]).toBeUndefined()
  })

  it("bounds what a replacement, an expansion and a nesting may become", async () => {
    const long = "a".repeat(100_000)
    const replace = { fields: ["m"], pattern: "a", with: "b".repeat(1000) }
    expect(await made({ m: long }, { replace })).toBe(
      "operation 1 (replace): the field m would be longer than 16777216 characters"
    )
    expect(await made({ m: long }, { replace: { ...replace, with: "bb" } })).toEqual({ m: "bb".repeat(100_000) })
    const ahead = { fields: ["m"], pattern: "(?=(a*))", with: "$1" }
    expect(await made({ m: "a".repeat(35_000) }, { replace: ahead })).toBe(
      "operation 1 (replace): the field m would be longer than 16777216 characters"
    )
    expect(await made({ ["a_".repeat(5000)]: 1, [`${"a_".repeat(5000)}b`]: 2 }, { expand: {} })).toBe(
      "operation 1 (expand): a name has more than 100 parts"
    )
    const deep = JSON.parse(`${'{"a":'.repeat(5000)}1${"}".repeat(5000)}`) as Event
    expect(await made(deep, { flatten: {} })).toBe("operation 1 (flatten): the record is nested deeper than 200 levels")
    const other = JSON.parse(`${'{"b":'.repeat(5000)}1${"}".repeat(5000)}`) as Event
    expect(await made({ a: deep, b: deep, c: other }, { merge: { into: "a", from: ["b"] } })).toBe(
      "operation 1 (merge): the record is nested deeper than 200 levels"
    )
    const wide = Object.fromEntries(Array.from({ length: 50_000 }, (_, at) => [`a_${at}`, at]))
    expect(Object.keys(((await made(wide, { expand: {} })) as { a: object }).a)).toHaveLength(50_000)
  })

  it("interrupts a pattern that does not end, and fails its record alone", async () => {
    const memory = new Memory()
    let time = 0
    let isGuarded = false
    const guard: Guard = {
      // Interrupts the step that meets the slow record, as the guard of a run does it.
      within: (millis, step) => {
        isGuarded = true
        try {
          step()
          return true
        } catch {
          time += millis
          return false
        } finally {
          isGuarded = false
        }
      },
      processorMillis: () => time
    }
    const slow = {
      get m(): string {
        if (isGuarded) throw new Error("endless")
        return "slow"
      }
    }
    const settings = Schema.decodeUnknownSync(mutate.settings)({
      operations: [{ replace: { fields: ["m"], pattern: "(a+)+$", with: "" } }]
    })
    const instance = await mutate.start(settings, { ...memory.nodeContext("node"), guard })
    const sent: Array<readonly [string, number]> = []
    await instance.process?.([{ m: "xa" }, slow, { m: "a" }], (stream, batch) => void sent.push([stream, batch.length]))
    expect(sent).toEqual([
      ["*", 2],
      ["errors", 1]
    ])
  })

  const Leaf = Schema.Union([Schema.String, Schema.Int, Schema.Null, Schema.Array(Schema.Int)])
  const Name = Schema.String.check(Schema.isPattern(/^[a-z]{1,3}$/))
  const Inner = Schema.Record(Name, Schema.Union([Leaf, Schema.Record(Name, Leaf)]))

  it.effect.prop(
    "expands what it flattened, and joins what it split",
    { event: Schema.Record(Name, Schema.Union([Leaf, Inner])), text: Schema.String, separator: Schema.NonEmptyString },
    ({ event, text, separator }) =>
      Effect.promise(async () => {
        expect(await made(event, { flatten: {} }, { expand: {} })).toEqual(event)
        expect(await made({ text }, { split: { text: separator } }, { join: { text: separator } })).toEqual({ text })
      }),
    { arbitrary: { seed, runs: 300 } }
  )

  it.effect.prop(
    "converts an integer of any length to itself",
    { whole: Schema.BigInt },
    ({ whole }) =>
      Effect.promise(async () => {
        const found = await made({ v: String(whole) }, { convert: { v: "integer" } })
        expect(String((found as Event)["v"])).toBe(String(whole))
      }),
    { arbitrary: { seed, runs: 300 } }
  )
})

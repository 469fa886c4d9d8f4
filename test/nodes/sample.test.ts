import { it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { describe, expect } from "vitest"
import type { Event } from "../../src/nodes/Node.ts"
import { sample } from "../../src/nodes/processing/Sample.ts"
import { fractionOf } from "../../src/nodes/processing/sample/Hash.ts"
import { seed } from "../support/random.ts"
import { process } from "./memory.ts"
import { issues, of } from "./one.ts"

const numbered = (count: number, more: (at: number) => object = () => ({})): ReadonlyArray<Event> =>
  Array.from({ length: count }, (_, at) => ({ n: at, ...more(at) }))

const numbers = (events: ReadonlyArray<Event>) => events.map(({ n }) => n)

describe("sample", () => {
  it("passes on the first of every so many, of all or of each key", async () => {
    const events = numbered(10, (at) => ({ k: at % 2 }))
    const all = await process(sample, { every: 4, weight_field: "w" }, [events.slice(0, 3), events.slice(3)])
    expect(all.get("*")).toEqual([0, 4, 8].map((n) => ({ n, k: 0, w: 4 })))
    expect(numbers((await of(sample, { every: 4, key: ["k"] }, events)).records)).toEqual([0, 1, 8, 9])
    expect(numbers((await of(sample, { every: 1 }, events)).records)).toEqual(numbers(events))
    // With two keys and memory for one, each is forgotten immediately.
    expect((await of(sample, { every: 4, key: ["k"], max_keys: 1 }, events)).records).toHaveLength(10)
  })

  it("chooses by shares of a field's values, and says what each record stands for", async () => {
    const events = numbered(30_000, (at) => ({ level: ["error", "info", "debug"][at % 3], o: { p: at } }))
    const settings = { rates: { error: 1, info: 0.1 }, rate_field: "level", probability: 0, weight_field: "o.w" }
    const { records } = await of(sample, settings, events)
    const ofLevel = (level: string) => records.filter((event) => event["level"] === level)
    expect(ofLevel("error")).toHaveLength(10_000)
    expect(ofLevel("debug")).toHaveLength(0)
    expect(Math.abs(ofLevel("info").length - 1000)).toBeLessThan(150)
    expect(ofLevel("info")[0]).toMatchObject({ o: { p: expect.any(Number), w: 10 } })
    const open = await of(sample, { rates: { info: 0 }, rate_field: "level" }, events)
    expect(open.records).toHaveLength(20_000)
  })

  it("is as large as its share, near enough, with any seed", async () => {
    for (const number of [0, 1, 99, 4_294_967_295]) {
      for (const share of [0.5, 0.01]) {
        const expected = 40_000 * share
        const near = 5 * Math.sqrt(expected * (1 - share))
        const free = await of(sample, { probability: share, seed: number }, numbered(40_000))
        expect(Math.abs(free.records.length - expected)).toBeLessThan(near)
        const keyed = await of(sample, { probability: share, seed: number, key: ["n"] }, numbered(40_000))
        expect(Math.abs(keyed.records.length - expected)).toBeLessThan(near)
      }
    }
  })

  it("fails a record whose weight has no place, and refuses settings that say nothing or too much", async () => {
    const { errors } = await of(sample, { every: 1, weight_field: "n.w" }, [{ n: 1 }])
    expect(errors).toEqual(["n.w cannot be written, because a value is in its way"])
    expect(issues(sample, {})).toEqual([""])
    expect(issues(sample, { every: 2, probability: 0.5 })).toEqual([""])
    expect(issues(sample, { rates: { a: 0.5 } })).toEqual(["rates"])
    expect(issues(sample, { probability: 0.5, rate_field: "a" })).toEqual(["rate_field"])
    expect(issues(sample, { probability: 1.5 })).toContain("probability")
    expect(issues(sample, { rates: { a: -1 }, rate_field: "a" })).toContain("rates/a")
  })

  it("spreads keys that are alike", () => {
    const found = new Set(Array.from({ length: 10_000 }, (_, at) => fractionOf(`key ${at}`, 0)))
    expect(found.size).toBeGreaterThan(9990)
    expect(fractionOf("a", 0)).not.toBe(fractionOf("a", 1))
  })

  const Share = Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1 }))
  it.effect.prop(
    "lets a key pass or not whatever comes with it, and whoever passes also passes with a larger share",
    { keys: Schema.Array(Schema.Union([Schema.String, Schema.Int])), less: Share, more: Share },
    ({ keys, less, more }) =>
      Effect.promise(async () => {
        const events = keys.map((key, n) => ({ key, n }))
        const passing = async (probability: number, some: ReadonlyArray<Event>) =>
          new Set((await of(sample, { probability, key: ["key"] }, some)).records.map(({ n }) => n))
        const small = await passing(Math.min(less, more), events)
        const large = await passing(Math.max(less, more), events)
        for (const n of small) expect(large).toContain(n)
        const alone = await Promise.all(events.map(async (event) => [...(await passing(more, [event]))]))
        expect(new Set(alone.flat())).toEqual(await passing(more, events))
        expect(await passing(1, events)).toEqual(new Set(events.map(({ n }) => n)))
        expect((await passing(0, events)).size).toBe(0)
      }),
    { arbitrary: { seed, runs: 100 } }
  )
})

import { it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { describe, expect } from "vitest"
import type { Event } from "../../src/nodes/Node.ts"
import { deduplicate } from "../../src/nodes/processing/Deduplicate.ts"
import { SeenKeys } from "../../src/nodes/processing/deduplicate/SeenKeys.ts"
import { held } from "../support/heap.ts"
import { seed } from "../support/random.ts"
import { Memory, process, run } from "./memory.ts"
import { issues, of } from "./one.ts"

const small = (maximum: number) => Schema.Int.check(Schema.isBetween({ minimum: 0, maximum }))

/** The events in batches of a size. */
const cut = (events: ReadonlyArray<Event>, size: number) =>
  Array.from({ length: Math.ceil(events.length / size) }, (_, at) => events.slice(at * size, (at + 1) * size))

describe("deduplicate", () => {
  it("passes on the first record of each key, and sends the others to a stream of theirs", async () => {
    const events = [
      { a: 1, b: "x", n: 1 },
      { a: "1", b: "x", n: 2 },
      { a: 1, b: "x", n: 3 },
      { a: 1, b: { c: [1] }, n: 4 },
      { a: 1, b: { c: [1] }, n: 5 },
      { a: -0, b: "x", n: 6 },
      { a: 0, b: "x", n: 7 }
    ]
    const streams = await process(deduplicate, { key: ["a", "b"] }, cut(events, 2))
    expect(streams.get("*")?.map(({ n }) => n)).toEqual([1, 2, 4, 6])
    expect(streams.get("duplicates")?.map(({ n }) => n)).toEqual([3, 5, 7])
  })

  it("does not mistake texts for each other that look alike when joined", async () => {
    const pairs = [
      ["a", "bs1:c"],
      ["as5:b", "c"],
      ["a,b", "c"],
      ["a", "b,c"],
      ['"', ""],
      ["", '"'],
      ["n1;", "1"],
      ["xsy", "z"],
      ["x", "ysz"]
    ]
    const events = pairs.map(([a, b]) => ({ a, b }))
    expect((await of(deduplicate, { key: ["a", "b"] }, [...events, ...events])).records).toEqual(events)
    const values = ["1", 1, "true", true, [1], "[1]", "\u0000j[1]", "\u0000s\u0000j[1]", "", { a: 1 }, '{"a":1}']
    const ones = values.map((a) => ({ a }))
    expect((await of(deduplicate, { key: ["a"] }, [...ones, ...ones])).records).toEqual(ones)
  })

  it("takes only records within the window for duplicates", async () => {
    const at = (seconds: number) => ({ k: 1, "@timestamp": new Date(seconds * 1000).toISOString() })
    const given = [0, 59, 60, 61, 119, 120, 30, 121].map(at)
    const { records, errors } = await of(deduplicate, { key: ["k"], window: "1m" }, [...given, { k: 1 }])
    expect(records).toEqual([0, 60, 120, 30].map(at))
    expect(errors).toEqual(["the field @timestamp is not a time"])
  })

  it("fails records without the key, or passes them on", async () => {
    const events = [{ a: 1 }, { a: 1, b: null }, {}]
    const failed = await of(deduplicate, { key: ["a", "b"] }, events)
    expect(failed).toEqual({ records: [], errors: events.map(() => "a field of the key is missing: a, b") })
    expect((await of(deduplicate, { key: ["a", "b"], ignore_missing: true }, events)).records).toEqual(events)
  })

  it("forgets the earliest keys beyond the bounds of number and bytes", () => {
    const few = new SeenKeys(2, 1_000_000)
    expect(["a", "b", "a", "c", "a", "c"].map((key) => few.isNew(key, 0, undefined))).toEqual([
      true,
      true,
      false,
      true,
      true,
      false
    ])
    const light = new SeenKeys(1_000_000, 100_000)
    for (let at = 0; at < 50_000; at++) light.isNew(`key ${at}`, 0, undefined)
    expect(light.size).toBeGreaterThan(500)
    expect(light.size).toBeLessThan(100_000 / 120)
    const huge = "x".repeat(100_000)
    expect([light.isNew(huge, 0, undefined), light.isNew(huge, 0, undefined)]).toEqual([true, true])
    expect(light.isNew("key 49999", 0, undefined)).toBe(false)
  })

  it("holds nothing of keys that return after the window", () => {
    const seen = new SeenKeys(1000, 1_000_000)
    const before = held()
    for (let at = 0; at < 500_000; at++) seen.isNew(`key ${at % 100}`, at, 1)
    expect(held() - before).toBeLessThan(8_000_000)
    expect(seen.size).toBe(100)
  })

  it("refuses settings without a key, and of other sizes", () => {
    expect(issues(deduplicate, { key: [] })).toEqual(["key/0"])
    expect(issues(deduplicate, { key: ["a"], window: "0s", max_keys: 0, max_bytes: 1 })).toEqual([
      "window",
      "max_keys",
      "max_bytes"
    ])
  })

  it("drops duplicates of a flowline that does not publish them", async () => {
    const memory = new Memory()
    const generator = {
      type: "generator_input",
      settings: { messages: ["a", "b"], count: 6 },
      publish: [{ stream: "s" }]
    }
    const subscribe = [{ component: "generator_input", stream: "s" }]
    const own = { type: "deduplicate", settings: { key: ["message"] }, subscribe, publish: [{ stream: "d" }] }
    const show = { type: "show", subscribe: [{ component: "deduplicate", stream: "d" }] }
    const counters = await run({ runtime: "stream", dag: [generator, own, show] }, memory)
    expect(memory.printed).toEqual(['{"message":"a"}', '{"message":"b"}'])
    expect(counters[1]).toMatchObject({ recordsIn: 6, recordsOut: 2, errors: 0 })
  })

  it.effect.prop(
    "does what a list of the keys does, however the records are cut into batches",
    {
      events: Schema.Array(Schema.Struct({ k: small(4), t: small(30) })),
      size: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 9 })),
      window: Schema.UndefinedOr(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 9 })))
    },
    ({ events, size, window }) =>
      Effect.promise(async () => {
        const first = new Map<number, number>()
        const wanted = events.filter(({ k, t }) => {
          const known = first.get(k)
          if (known !== undefined && (window === undefined || Math.abs(t - known) < window)) return false
          first.set(k, Math.max(known ?? 0, t))
          return true
        })
        const settings = { key: ["k"], time_field: "t", ...(window === undefined ? {} : { window: `${window}ms` }) }
        const streams = await process(deduplicate, settings, cut(events, size))
        expect(streams.get("*") ?? []).toEqual(wanted)
        expect(streams.get("duplicates")?.length ?? 0).toBe(events.length - wanted.length)
      }),
    { arbitrary: { seed, runs: 300 } }
  )
})

import { it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { describe, expect } from "vitest"
import type { Event } from "../../src/nodes/Node.ts"
import { aggregate } from "../../src/nodes/processing/Aggregate.ts"
import { Heap } from "../../src/nodes/processing/aggregate/Windows.ts"
import { seed } from "../support/random.ts"
import { process } from "./memory.ts"
import { of } from "./one.ts"

const metrics = { n: { type: "count" } }
const batches = (events: ReadonlyArray<Event>) =>
  Array.from({ length: Math.ceil(events.length / 1000) }, (_, at) => events.slice(at * 1000, (at + 1) * 1000))

describe("aggregate with much to keep", () => {
  it("gives 150 000 groups of one window, and as many windows of one group", async () => {
    const count = 150_000
    const given = { window: "1s", group_by: ["k"], max_groups: 1_000_000, metrics }
    const groups = Array.from({ length: count }, (_, k) => ({ "@timestamp": 5, k }))
    const late = { "@timestamp": 5000, k: "later" }
    const one = await process(aggregate, given, batches([...groups, late]))
    expect(one.get("*")?.length).toBe(count + 1)
    expect(one.get("errors")).toBeUndefined()
    const times = Array.from({ length: count }, (_, at) => ({ "@timestamp": ((at * 7919) % count) * 1000, k: 1 }))
    const many = await process(aggregate, { ...given, allowed_lateness: "999999h" }, batches([...times, late]))
    const starts = (many.get("*") ?? []).map((row) => (row["window"] as { start: string }).start)
    expect(starts.length).toBe(count + 1)
    expect(starts.every((start, at) => at === 0 || starts[at - 1]! <= start)).toBe(true)
  })

  it("keeps nothing of records that it refuses", async () => {
    const refused = Array.from({ length: 50 }, (_, at) => ({ "@timestamp": at * 60_000, k: "b" }))
    const given = { window: "1m", group_by: ["k"], max_groups: 1, metrics, allowed_lateness: "1d" }
    const { records, errors } = await of(aggregate, given, [{ "@timestamp": 0, k: "a" }, ...refused])
    expect(records).toHaveLength(1)
    expect(errors).toHaveLength(50)
  })

  it("writes sums over the range of numbers as text, and goes on", async () => {
    const given = {
      window: "1m",
      metrics: { sum: { type: "sum", field: "v" }, avg: { type: "avg", field: "v" }, max: { type: "max", field: "v" } }
    }
    const values = [1e308, 1e308, "1e308", 0.5].map((v) => ({ "@timestamp": 0, v }))
    const { records } = await of(aggregate, given, values)
    expect(records).toMatchObject([{ sum: "Infinity", avg: "Infinity", max: 1e308 }])
    expect((await of(aggregate, given, [{ "@timestamp": 0, v: "1e400" }])).errors).toEqual([
      "the field v is not a number"
    ])
  })

  it("fails records whose time does not exist, and takes one without a zone as UTC", async () => {
    const given = { window: "1h", metrics: { n: { type: "count" } } }
    const times = ["2026-02-30T10:00:00Z", "2026-02-03T25:00:00Z", "yesterday", 1e17, "-99999999999999999", null]
    const { records, errors } = await of(aggregate, given, [
      ...times.map((time) => ({ "@timestamp": time })),
      { "@timestamp": "2026-02-03T10:20:00" },
      { "@timestamp": "2026-02-03 10:30:00.5" },
      { "@timestamp": "1770114600000" }
    ])
    expect(errors).toEqual(times.map(() => "the field @timestamp is not a time"))
    expect(records).toMatchObject([{ n: 3, window: { start: "2026-02-03T10:00:00.000Z" } }])
  })

  it.effect.prop(
    "closes windows by a heap that gives numbers in order",
    { numbers: Schema.Array(Schema.Int) },
    ({ numbers }) =>
      Effect.sync(() => {
        const heap = new Heap()
        for (const number of numbers) heap.push(number)
        const found: Array<number> = []
        for (let next = heap.pop(); next !== undefined; next = heap.pop()) found.push(next)
        expect(found).toEqual([...numbers].sort((a, b) => a - b))
        expect(heap.first).toBeUndefined()
      }),
    { arbitrary: { seed } }
  )
})

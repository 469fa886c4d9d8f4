import { it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { describe, expect } from "vitest"
import { hints } from "../../src/nodes/flowline/Hints.ts"
import type { Event } from "../../src/nodes/Node.ts"
import { sort } from "../../src/nodes/processing/Sort.ts"
import { Flowline } from "../../src/protocol/Flowline.ts"
import { random, seed } from "../support/random.ts"
import { process } from "./memory.ts"
import { issues } from "./one.ts"

const sorted = async (settings: Record<string, unknown>, events: ReadonlyArray<Event>, size = events.length || 1) => {
  const batches = Array.from({ length: Math.ceil(events.length / size) }, (_, at) =>
    events.slice(at * size, (at + 1) * size)
  )
  return (await process(sort, settings, batches)).get("*") ?? []
}
const ofValues = async (values: ReadonlyArray<unknown>, order = "ascending") =>
  (
    await sorted(
      { by: [{ field: "v", order }] },
      values.map((v) => ({ v }))
    )
  ).map(({ v }) => v)

describe("sort", () => {
  it("orders numbers by size, also in texts, then the others, and missing values last", async () => {
    const ordered = [
      Number.NEGATIVE_INFINITY,
      "-1e400",
      "-18446744073709551616",
      -5,
      "-0.5",
      0,
      "1e-400",
      2,
      "3",
      "10",
      "9007199254740992",
      "9007199254740993",
      "18446744073709551615",
      "1e400",
      "",
      "-",
      "007",
      "1.2.3.4",
      "B",
      "a",
      "é",
      false,
      true,
      [1],
      { a: 1 },
      null
    ]
    const { shuffled } = random()
    for (let round = 0; round < 20; round++) expect(await ofValues(shuffled(ordered))).toEqual(ordered)
    const values = ordered.slice(0, -1)
    expect(await ofValues(shuffled(ordered), "descending")).toEqual([...values.reverse(), null])
    expect(await ofValues([Number.NaN, 1, undefined, "x"])).toEqual([1, "x", Number.NaN, undefined])
  })

  it("sorts by several fields, each in its order, and keeps the order of equal records", async () => {
    const events = [
      { a: 1, b: { c: 1 }, n: 1 },
      { a: 2, b: { c: 1 }, n: 2 },
      { a: 1, b: { c: 2 }, n: 3 },
      { a: 2, b: { c: 1 }, n: 4 },
      { n: 5 }
    ]
    const by = [{ field: "b.c", order: "descending" }, { field: "a" }]
    expect((await sorted({ by }, events)).map(({ n }) => n)).toEqual([3, 1, 2, 4, 5])
  })

  it("fails the run beyond its bounds, and says what to do", async () => {
    const by = [{ field: "n" }]
    const events = Array.from({ length: 5000 }, (_, n) => ({ n: -n, text: "x".repeat(100) }))
    const cure = /: set a smaller limit, raise max_records or max_bytes with memory_mib, or sort in an analytics/
    await expect(sorted({ by, max_records: 4999 }, events)).rejects.toThrow("more than 4999 records to sort")
    await expect(sorted({ by, max_bytes: 500_000 }, events)).rejects.toThrow("more than 500000 bytes to sort")
    await expect(sorted({ by, max_bytes: 500_000 }, events)).rejects.toThrow(cure)
    expect(await sorted({ by, max_records: 5000 }, events)).toHaveLength(5000)
    // The largest comes last, so that each record replaces another one.
    const few = await sorted({ by, limit: 3, max_bytes: 5000 }, events, 700)
    expect(few.map(({ n }) => n)).toEqual([-4999, -4998, -4997])
    await expect(sorted({ by, limit: 100, max_bytes: 20_000 }, events)).rejects.toThrow(
      "more than 10000 bytes in the first 100 records"
    )
  })

  it("publishes no batch of more than a thousand records, or much larger than others", async () => {
    const instance = await sort.start(
      Schema.decodeUnknownSync(sort.settings)({ by: [{ field: "n" }] }),
      undefined as never
    )
    const sizes: Array<number> = []
    const emit = (_: string, batch: ReadonlyArray<Event>) => void sizes.push(batch.length)
    await instance.process?.(
      Array.from({ length: 2500 }, (_, n) => ({ n })),
      emit
    )
    await instance.process?.(
      Array.from({ length: 4 }, (_, n) => ({ n: n + 5000, text: "x".repeat(200_000) })),
      emit
    )
    await instance.end?.(emit)
    expect(sizes.reduce((a, b) => a + b, 0)).toBe(2504)
    expect(Math.max(...sizes)).toBeLessThanOrEqual(1000)
    expect(sizes.slice(-3)).toEqual([1, 1, 1])
  })

  it("refuses what it cannot do, and hints at inputs that do not end", () => {
    expect(issues(sort, {})).toEqual(["by"])
    expect(issues(sort, { by: [{ field: "a", order: "up" }], limit: 0, max_bytes: 1 })).toEqual([
      "by/0/order",
      "limit",
      "max_bytes"
    ])
    const dag = [
      { type: "syslog_input", settings: { port: 5514 }, publish: [{ stream: "s" }] },
      { type: "sort", settings: sort.example, subscribe: [{ component: "syslog_input", stream: "s" }] }
    ]
    expect(hints(Schema.decodeUnknownSync(Flowline)({ runtime: "stream", dag }))).toEqual([
      "sort: the records of syslog_input are held until it ends, and those of a killed run are lost"
    ])
  })

  const Value = Schema.Union([
    Schema.Int.check(Schema.isBetween({ minimum: -3, maximum: 3 })),
    Schema.BigInt,
    Schema.Literals(["a", "b", "B", ""]),
    Schema.Null
  ])
  /** An independent sort order: kinds, then BigInts or texts. */
  const model = (a: unknown, b: unknown): number => {
    const kind = (value: unknown) => (value === null ? 2 : typeof value === "string" && !/\d/.test(value) ? 1 : 0)
    if (kind(a) !== kind(b)) return kind(a) - kind(b)
    if (kind(a) === 0)
      return BigInt(a as string) < BigInt(b as string) ? -1 : BigInt(a as string) > BigInt(b as string) ? 1 : 0
    return kind(a) === 2 || a === b ? 0 : (a as string) < (b as string) ? -1 : 1
  }
  it.effect.prop(
    "gives each record once, in order, and with a limit the first of them, however they are cut into batches",
    {
      values: Schema.Array(Value).check(Schema.isMaxLength(60)),
      size: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 20 })),
      limit: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 10 }))
    },
    ({ values, size, limit }) =>
      Effect.promise(async () => {
        const events = values.map((v, n) => ({ v: typeof v === "bigint" ? String(v) : v, n }))
        const wanted = [...events].sort((a, b) => model(a.v, b.v))
        const by = [{ field: "v" }]
        expect(await sorted({ by }, events, size)).toEqual(wanted)
        expect(await sorted({ by, limit }, events, size)).toEqual(wanted.slice(0, limit))
      }),
    { arbitrary: { seed, runs: 300 } }
  )
})

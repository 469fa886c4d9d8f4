import { it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { describe, expect } from "vitest"
import type { Event } from "../../src/nodes/Node.ts"
import { aggregate } from "../../src/nodes/processing/Aggregate.ts"
import { dispatch } from "../../src/nodes/processing/Dispatch.ts"
import { enrich } from "../../src/nodes/processing/Enrich.ts"
import { seed } from "../support/random.ts"
import { Memory, process } from "./memory.ts"
import { issues, of } from "./one.ts"

describe("dispatch", () => {
  const routes = [
    { stream: "big", where: "n >= 5" },
    { stream: "even", where: "n in [2, 4, 6, 8]" }
  ]
  const numbers = (streams: Map<string, Array<Event>>, name: string) => streams.get(name)?.map((event) => event["n"])
  it("sends to the first route that fits, or to all", async () => {
    const events = [1, 2, 5, 6].map((n) => ({ n }))
    const first = await process(dispatch, { routes, default: "rest" }, [events])
    expect(["big", "even", "rest"].map((name) => numbers(first, name))).toEqual([[5, 6], [2], [1]])
    const all = await process(dispatch, { routes, mode: "all" }, [events])
    expect(["big", "even", "rest"].map((name) => numbers(all, name))).toEqual([[5, 6], [2, 6], undefined])
    expect(issues(dispatch, { routes: [{ stream: "a", where: "n >" }] })).toEqual(["routes/0/where"])
    expect(issues(dispatch, { routes: [{ stream: "errors", where: "n" }], default: "errors" })).toEqual([
      "routes/0/stream",
      "default"
    ])
  })
})

describe("enrich", () => {
  const table = new TextEncoder().encode(
    "status,reason,class\r\n200,OK,success\r\n404,Not Found,client\r\n200,again,x\r\n__proto__,p,q\r\n"
  )
  const looked = async (
    settings: Record<string, unknown>,
    events: ReadonlyArray<Event>,
    files: Record<string, ReadonlyArray<Uint8Array>> = { "t.csv": [table] }
  ) => {
    const streams = new Map<string, Array<Event>>()
    const decoded = Schema.decodeUnknownSync(enrich.settings)({
      field: "code",
      path: "t.csv",
      key: "status",
      ...settings
    })
    const instance = await enrich.start(decoded, new Memory(files).nodeContext("node"))
    await instance.process?.(events, (stream, batch) => {
      streams.set(stream, [...(streams.get(stream) ?? []), ...batch])
    })
    return { records: streams.get("*") ?? [], errors: streams.get("errors")?.length ?? 0 }
  }
  it("adds the columns of the first row with the key", async () => {
    expect(await looked({}, [{ code: 200 }, { code: "404" }, { code: 500 }, {}])).toEqual({
      records: [
        { code: 200, reason: "OK", class: "success" },
        { code: "404", reason: "Not Found", class: "client" },
        { code: 500 },
        {}
      ],
      errors: 0
    })
    expect((await looked({ columns: ["class"], target: "s" }, [{ code: 404 }])).records).toEqual([
      { code: 404, s: { class: "client" } }
    ])
    expect((await looked({ on_missing: "drop" }, [{ code: 1 }, { code: 200 }])).records).toHaveLength(1)
    expect(await looked({ on_missing: "errors" }, [{ code: 1 }])).toEqual({ records: [], errors: 1 })
    expect((await looked({ key: "reason", case_insensitive: true }, [{ code: "NOT found" }])).records).toEqual([
      { code: "NOT found", status: "404", class: "client" }
    ])
    expect((await looked({ columns: ["reason"] }, [{ code: "__proto__" }, { code: "constructor" }])).records).toEqual([
      { code: "__proto__", reason: "p" },
      { code: "constructor" }
    ])
  })

  it("fails the run when the table cannot be read whole", async () => {
    const ragged = new TextEncoder().encode("status,reason\n200\n")
    await expect(looked({}, [], { "t.csv": [ragged] })).rejects.toThrow(/table cannot be read/)
    await expect(looked({ path: "none.csv" }, [])).rejects.toThrow()
  })
})

const minute = 60_000
const at = (millis: number) => new Date(Date.UTC(2026, 0, 1) + millis).toISOString()

describe("aggregate", () => {
  const settings = {
    window: "1m",
    group_by: ["host"],
    metrics: {
      n: { type: "count" },
      sum: { type: "sum", field: "v" },
      avg: { type: "avg", field: "v" },
      min: { type: "min", field: "v" },
      max: { type: "max", field: "v" },
      users: { type: "distinct", field: "user" },
      first: { type: "first", field: "user" },
      last: { type: "last", field: "user" }
    }
  }

  it("counts in windows of event time, for each group, exactly", async () => {
    const { records, errors } = await of(aggregate, settings, [
      { "@timestamp": at(0), host: "a", v: "9007199254740993", user: "x" },
      { "@timestamp": at(59_999), host: "a", v: 1, user: "y" },
      { "@timestamp": at(1), host: "b", v: 0.5, user: null },
      { "@timestamp": at(2 * minute), host: "a", v: null },
      { "@timestamp": at(5), host: "a", v: 1 },
      { "@timestamp": "no time", host: "a", v: 1 },
      { "@timestamp": at(2 * minute), host: "a", v: "abc" }
    ])
    const window = { start: at(0), end: at(minute) }
    expect(records).toEqual([
      {
        window,
        host: "a",
        n: 2,
        sum: "9007199254740994",
        avg: 9007199254740994 / 2,
        min: 1,
        max: "9007199254740993",
        users: 2,
        first: "x",
        last: "y"
      },
      { window, host: "b", n: 1, sum: 0.5, avg: 0.5, min: 0.5, max: 0.5, users: 0, first: null, last: null },
      {
        window: { start: at(2 * minute), end: at(3 * minute) },
        host: "a",
        n: 1,
        sum: 0,
        avg: null,
        min: null,
        max: null,
        users: 0,
        first: null,
        last: null
      }
    ])
    expect(errors).toEqual([
      expect.stringContaining("too late"),
      "the field @timestamp is not a time",
      "the field v is not a number"
    ])
  })

  it("bounds its groups, and refuses windows that are none", async () => {
    const { records, errors } = await of(
      aggregate,
      { ...settings, max_groups: 2 },
      [1, 2, 3].map((host) => ({ "@timestamp": at(0), host }))
    )
    expect([records.length, errors]).toEqual([2, [expect.stringContaining("more than 2 groups")]])
    const metrics = { a: { type: "sum" }, __proto__x: { type: "count" } }
    expect(issues(aggregate, { window: "0s", metrics, group_by: ["__proto__"] })).toEqual(["window", "group_by/0"])
    expect(issues(aggregate, { window: "1s", metrics, group_by: ["__proto__"] })).toEqual(["group_by/0", "metrics/a"])
    expect(issues(aggregate, { window: "1m", slide: "2m", metrics: {} })).toEqual(["slide"])
    expect(issues(aggregate, { window: "1d", slide: "1ms", metrics: {} })).toEqual(["slide"])
  })

  const Time = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 600 }))
  it.effect.prop(
    "equals a grouping in memory, whatever the order within the lateness and however the records are cut",
    {
      times: Schema.Array(Schema.Tuple([Time, Time])).check(Schema.isMaxLength(60)),
      slide: Schema.Literals(["20s", "30s", "1m"]),
      size: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 10 }))
    },
    ({ times, slide, size }) =>
      Effect.promise(async () => {
        const step = Number.parseInt(slide, 10) * (slide.endsWith("m") ? minute : 1000)
        const events = times.map(([second, value]) => ({ "@timestamp": at(second * 1000), k: value % 3, v: value }))
        const given = {
          window: "1m",
          slide,
          allowed_lateness: "10m",
          group_by: ["k"],
          metrics: { n: { type: "count" }, s: { type: "sum", field: "v" } }
        }
        const batches = Array.from({ length: Math.ceil(events.length / size) }, (_, index) =>
          events.slice(index * size, (index + 1) * size)
        )
        const found = (await process(aggregate, given, batches)).get("*") ?? []
        const naive = new Map<string, { n: number; s: number }>()
        for (const [second, value] of times) {
          for (let start = Math.floor((second * 1000) / step) * step; start > second * 1000 - minute; start -= step) {
            const key = `${at(start)} ${value % 3}`
            const group = naive.get(key) ?? { n: 0, s: 0 }
            naive.set(key, { n: group.n + 1, s: group.s + value })
          }
        }
        const rows = found.map((row) => [
          `${(row["window"] as { start: string }).start} ${row["k"]}`,
          { n: row["n"], s: row["s"] }
        ])
        expect(rows.length).toBe(naive.size)
        expect(new Map(rows as Array<[string, object]>)).toEqual(naive)
      }),
    { arbitrary: { seed } }
  )
})

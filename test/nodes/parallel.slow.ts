import { it } from "@effect/vitest"
import { Effect, Result, Schema } from "effect"
import { describe, expect } from "vitest"
import { split } from "../../src/nodes/flowline/Split.ts"
import { Flowline } from "../../src/protocol/Flowline.ts"
import { pipeline } from "../../src/run/stream/Pipeline.ts"
import { merged, type PartPool } from "../../src/run/stream/parallel/Merge.ts"
import { part } from "../../src/run/stream/parallel/Part.ts"
import { TextMemory } from "../../src/run/stream/parallel/TextMemory.ts"
import { seed } from "../support/random.ts"
import { Memory } from "./memory.ts"
import { Opened } from "./opened.ts"

type Node = Record<string, unknown>

const from = (...sources: ReadonlyArray<string>) => ({
  subscribe: sources.map((source) => {
    const [component, stream = "s"] = source.split(".")
    return { component, stream }
  })
})
const streams = (...names: ReadonlyArray<string>) => ({ publish: names.map((stream) => ({ stream })) })

/** Everything that can follow a file: nodes with and without state, and several streams into one output. */
const nodes: ReadonlyArray<Node> = [
  {
    type: "file_output",
    component: "all",
    settings: { path: "all.ndjson" },
    ...from("in", "parse.errors", "in.errors")
  },
  {
    type: "dissect",
    component: "parse",
    settings: { pattern: "%{word} %{number} %{rest}" },
    ...from("in"),
    ...streams("s", "errors")
  },
  {
    type: "dispatch",
    component: "which",
    settings: { routes: [{ stream: "big", where: "number >= 5" }], default: "small" },
    ...from("parse"),
    ...streams("big", "small")
  },
  { type: "flowlet", component: "mark", settings: { code: "event.mark = event.number * 2; print(event.word)" } },
  {
    type: "flowlet",
    component: "count",
    settings: { code: "let n = 0\nfunction process(event) { event.n = ++n; return event }" },
    ...from("mark", "which.small"),
    ...streams("s", "errors")
  },
  { type: "filter", component: "odd", settings: { where: "number in [1, 3, 5]" }, ...from("count"), ...streams("s") },
  { type: "file_output", component: "table", settings: { path: "t.csv" }, ...from("odd", "which.big") },
  { type: "file_output", component: "fixed", settings: { path: "f.csv", columns: ["word", "mark"] }, ...from("mark") },
  { type: "archive_output", component: "text", settings: { entry: "m.log" }, ...from("in", "mark.errors") },
  { type: "show", component: "some", settings: { limit: 7 }, ...from("which.big", "parse") },
  { type: "show", component: "rows", settings: { format: "table" }, ...from("odd") }
].map((node) => (node.component === "mark" ? { ...node, ...from("which.big"), ...streams("s", "errors") } : node))

const flowlineOf = (path: string, more: Node = {}) =>
  Schema.decodeUnknownSync(Flowline)({
    runtime: "stream",
    dag: [...nodes, { type: "file_input", component: "in", settings: { path, ...more }, ...streams("s", "errors") }]
  })

/** Parts in this thread that answer in any order. */
const partsOf = (flowline: Flowline, memory: Opened, count: number, delays: ReadonlyArray<number>): PartPool => {
  const { readAt } = memory
  const parts = Array.from({ length: count }, () => {
    // A piece of each turn is under way in a part, and as many wait to be taken.
    const texts = new TextMemory(2 * count + 1, (bytes) => new ArrayBuffer(bytes))
    return part(flowline, Result.getOrThrow(split(flowline)), memory.opening, { readAt, texts })
  })
  let turn = 0
  const last = parts.map((): Promise<unknown> => Promise.resolve())
  return {
    ahead: 2 * count,
    take: (piece) => {
      const index = turn % count
      const delay = delays[turn++ % delays.length] ?? 0
      const made = last[index]!.then(async () => {
        const made = await parts[index]!.take(piece)
        for (let wait = 0; wait < delay; wait++) await new Promise((resolve) => setImmediate(resolve))
        return { ...made, part: index }
      })
      last[index] = made.catch(() => {})
      return made
    }
  }
}

const seen = (memory: Memory) => ({
  written: Object.fromEntries(memory.written),
  entries: Object.fromEntries(memory.entries),
  printed: memory.printed
})

const pad = "é".repeat(20_000)
const lineOf = (pick: number) =>
  [`a ${pick} ${pad}`, "no", "", `b ${pick}\u00a0 x${pad}`, `{"a":${pick}}`, '"'][pick % 6]!
const Picks = Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 9 }))).check(
  Schema.isMinLength(30),
  Schema.isMaxLength(40)
)

describe("a flowline in parallel parts", () => {
  // The lines of an event, and those counted for their positions, may be on both sides of a part's boundary.
  const inputs: ReadonlyArray<readonly [path: string, settings?: Node]> = [
    ["*.log"],
    ["*.ndjson"],
    ["*.csv"],
    ["*.log", { multiline: { start: "^[a-z]" } }],
    ["*.log", { source: true }],
    ["*.log", { encoding: "windows-1252" }]
  ]
  for (const [path, settings] of inputs) {
    it.effect.prop(
      `does what it does in one: ${path} ${JSON.stringify(settings ?? {})}`,
      {
        files: Schema.NonEmptyArray(Picks).check(Schema.isMaxLength(3)),
        count: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 5 })),
        delays: Schema.NonEmptyArray(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 5 })))
      },
      ({ files, count, delays }) =>
        Effect.promise(async () => {
          const given = Object.fromEntries(
            files.map((picks, index) => [path.replace("*", String(index)), picks.map(lineOf).join("\n")])
          )
          const flowline = flowlineOf(path, settings)
          const [one, many] = [new Memory(given), new Opened(given)]
          const alone = pipeline(flowline, one.context)
          await alone.run()
          const parts = partsOf(flowline, many, count, delays)
          const { run, counters } = merged(flowline, Result.getOrThrow(split(flowline)), many.opening, parts)
          await run()
          expect(seen(many)).toEqual(seen(one))
          expect(counters()).toEqual(alone.counters())
          await expect.poll(() => many.opened).toBe(0)
        }),
      { arbitrary: { seed, runs: settings === undefined ? 4 : 2 } }
    )
  }

  it("counts the bytes that are replaced outside of the parts, too", async () => {
    for (const settings of [{}, { source: true }]) {
      const flowline = flowlineOf("a.log", settings)
      const memory = new Opened({})
      memory.files.set("a.log", [Buffer.from([0x61, 0xff, 0xfe, 0x0a])])
      const parts = partsOf(flowline, memory, 2, [0])
      const context = (component: string) => memory.context(component)
      const { run, counters } = merged(flowline, Result.getOrThrow(split(flowline)), context, parts)
      await run()
      expect(counters().find(({ component }) => component === "in")).toMatchObject({ recordsOut: 1, replacedBytes: 2 })
    }
  })

  it("keeps nodes with state, and what is behind them, in one place", () => {
    expect([...Result.getOrThrow(split(flowlineOf("a.log"))).inside]).toEqual(["in", "parse", "which", "mark"])
  })

  it("fails with the failure of the first piece that failed, and takes no more", async () => {
    const memory = new Memory({ "a.log": Array.from({ length: 40 }, (_, index) => lineOf(index * 6)).join("\n") })
    const flowline = flowlineOf("a.log")
    let taken = 0
    const parts: PartPool = {
      ahead: 3,
      take: async () => {
        const turn = taken++
        if (turn === 1) throw new Error("the second")
        if (turn === 2) throw new Error("the third")
        return { part: 0, deliveries: [{ to: "some", batch: [{ turn }] }], counters: [] }
      }
    }
    const { run } = merged(flowline, Result.getOrThrow(split(flowline)), memory.context, parts)
    await expect(run()).rejects.toMatchObject({ component: "in", detail: "the second" })
    expect(taken).toBe(3 + 1)
    expect(memory.printed).toEqual(['{"turn":0}'])
  })
})

import { it } from "@effect/vitest"
import { Effect, Result, Schema } from "effect"
import { describe, expect } from "vitest"
import { compile } from "../../src/languages/grok/GrokFilter.ts"
import { checkSettings } from "../../src/nodes/Checks.ts"
import { datasetGenerator } from "../../src/nodes/inputs/DatasetGenerator.ts"
import { generatorInput } from "../../src/nodes/inputs/GeneratorInput.ts"
import type { Event, NodeType } from "../../src/nodes/Node.ts"
import { show } from "../../src/nodes/outputs/Show.ts"
import { dissect } from "../../src/nodes/processing/Dissect.ts"
import { grok } from "../../src/nodes/processing/Grok.ts"
import { seed } from "../support/random.ts"
import { Memory, process } from "./memory.ts"

const generate = async (node: NodeType, settings: unknown, memory = new Memory()) => {
  const events: Array<Event> = []
  const instance = await node.start(Schema.decodeUnknownSync(node.settings)(settings), memory.nodeContext("in"))
  await instance.run!((stream, batch) => {
    expect(stream).toBe("*")
    events.push(...batch)
  })
  return events
}

describe("generator_input", () => {
  it("gives the messages in turn, as often as count says", async () => {
    const events = await generate(generatorInput, { messages: ["a", { n: 1 }], count: 2501, rate: 1_000_000 })
    expect(events).toHaveLength(2501)
    expect(events.slice(0, 3)).toEqual([{ message: "a" }, { n: 1 }, { message: "a" }])
    expect(await generate(generatorInput, { messages: ["a"], count: 0 })).toEqual([])
  })

  it("keeps to its rate", async () => {
    const began = performance.now()
    await generate(generatorInput, { messages: ["a"], count: 26, rate: 100 })
    // The first record comes at once, the last one 250 ms later.
    expect(performance.now() - began).toBeGreaterThan(240)
  })
})

describe("dataset_generator", () => {
  it("publishes its rows", async () => {
    const rows = Array.from({ length: 1500 }, (_, n) => ({ n }))
    expect(await generate(datasetGenerator, { rows })).toEqual(rows)
    expect(await generate(datasetGenerator, { rows: [] })).toEqual([])
  })
})

describe("grok", () => {
  it("parses, and fails what no pattern matches", async () => {
    const streams = await process(grok, { patterns: ["^%{NUMBER:duration:int} %{IP:client}$", "^%{WORD:word}$"] }, [
      [{ message: "189 127.0.0.1", keep: 1 }, { message: "" }, { message: "hello" }],
      [{ other: 1 }]
    ])
    expect(streams.get("*")).toEqual([
      { message: "189 127.0.0.1", keep: 1, duration: 189, client: "127.0.0.1" },
      { message: "hello", word: "hello" }
    ])
    const error = { node: "node", reason: "no pattern matches the field message" }
    expect(streams.get("errors")).toEqual([
      { message: "", tags: ["_grokparsefailure"], error: { ...error, explanation: expect.any(Object) } },
      { other: 1, tags: ["_grokparsefailure"], error }
    ])
  })

  it("takes the options of Logstash", async () => {
    const settings = {
      field: "[log][line]",
      patterns: ["%{SHOUT:message} %{GREEDYDATA:rest}"],
      definitions: "SHOUT [A-Z]+",
      overwrite: "message",
      target: "parsed",
      ignore_missing: true,
      add_tag: ["ok"],
      tag_on_failure: []
    }
    const streams = await process(grok, settings, [
      [{ log: { line: "HEY you" } }, { message: "none" }, { log: { line: "quiet" } }]
    ])
    expect(streams.get("*")).toEqual([
      { log: { line: "HEY you" }, parsed: { message: "HEY", rest: "you" }, tags: ["ok"] },
      { message: "none" }
    ])
    expect(streams.get("errors")).toMatchObject([{ log: { line: "quiet" }, error: { node: "node" } }])
  })

  it("says where each of its patterns is wrong", () => {
    const check = (settings: object) => checkSettings(grok, Schema.decodeUnknownSync(grok.settings)(settings), {})
    expect(check({ patterns: ["ok", "a %{NOPE:x}", "(", "%{WORD"] })).toMatchObject([
      { path: ["patterns", 1], line: 1, column: 3 },
      { path: ["patterns", 2], line: 1, column: 1 },
      { path: ["patterns", 3], line: 1, column: 1 }
    ])
    expect(check({ patterns: ["%{A:x}", "%{A:y}"], definitions: "B x\nA %{NOPE}" })).toMatchObject([
      { path: ["definitions"], line: 2, column: 3 }
    ])
    expect(check({ patterns: ["%{WORD:x}"] })).toEqual([])
  })
})

const grokLines = ["12 x", "12 12", "007 y", "99999999999999999999 z", "k=1 k=2", "", "-", "abc"]
const grokPatterns = [
  "%{NUMBER:n:int} %{WORD:w}",
  "k=%{INT:[a][k]} k=%{INT:a.k}",
  "(?:%{WORD:w}|-)(?: %{WORD:maybe})?",
  "^$"
]
const Index = (length: number) => Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: length - 1 }))

describe("grok against the filter of the operators", () => {
  it.effect.prop(
    "gives the same events, whatever they hold already",
    {
      lines: Schema.Array(Index(grokLines.length)),
      patterns: Schema.NonEmptyArray(Index(grokPatterns.length)),
      present: Schema.Struct({
        n: Schema.optionalKey(Schema.Union([Schema.Literals(["old", "12"]), Schema.Null, Schema.Int])),
        w: Schema.optionalKey(Schema.Array(Schema.Literal("list"))),
        a: Schema.optionalKey(Schema.Union([Schema.Literal("scalar"), Schema.Struct({ z: Schema.Boolean })])),
        tags: Schema.optionalKey(Schema.Literals(["one", "_grokparsefailure"]))
      }),
      keep: Schema.Boolean,
      overwrite: Schema.Literals(["n", "w"])
    },
    ({ lines, patterns, present, keep, overwrite }) =>
      Effect.promise(async () => {
        const match = patterns.map((pattern) => grokPatterns[pattern]!)
        const options = { keep_empty_captures: keep, overwrite }
        const events = lines.map((line) => ({ message: grokLines[line]!, ...present }))
        const reference = Result.getOrThrow(compile({ match: { message: match }, ...options }))
        const streams = await process(grok, { patterns: match, ...options }, [events])
        const expected = events.map((event) => reference.apply(event))
        const matched = expected.filter((filtered) => filtered.matched).map(({ event }) => event)
        expect(streams.get("*") ?? []).toEqual(matched)
        const failed = expected.filter((filtered) => !filtered.matched).map(({ event }) => event)
        expect((streams.get("errors") ?? []).map(({ error: _, ...event }) => event)).toEqual(failed)
      }),
    { arbitrary: { seed, runs: 500 } }
  )
})

describe("dissect", () => {
  it("cuts, merges and fails what does not fit", async () => {
    const streams = await process(dissect, { pattern: "%{a.b} [%{c}] %{n|integer}" }, [
      [{ message: "x [y] 7", a: { z: 1 }, c: "old" }, { message: "nothing" }],
      [{ c: 1 }, { message: { deep: true } }, { message: null }]
    ])
    expect(streams.get("*")).toEqual([{ message: "x [y] 7", a: { z: 1, b: "x" }, c: "y", n: 7 }])
    expect(streams.get("errors")!.map((event) => (event["error"] as { reason: string }).reason)).toEqual([
      "the pattern does not match the field message",
      "the field message is missing",
      "the field message is not a text",
      "the field message is missing"
    ])
  })

  it("puts its keys below the target and ignores what is missing", async () => {
    const settings = {
      field: "line",
      pattern: "%{+x} %{+x}",
      append_separator: "-",
      target: "[p][q]",
      ignore_missing: true
    }
    const streams = await process(dissect, settings, [[{ line: "1 2", p: { r: 0 } }, { other: 1 }]])
    expect(streams.get("*")).toEqual([{ line: "1 2", p: { r: 0, q: { x: "1-2" } } }, { other: 1 }])
  })

  it("says where its pattern is wrong", () => {
    const check = (settings: object) => checkSettings(dissect, Schema.decodeUnknownSync(dissect.settings)(settings), {})
    expect(check({ pattern: "%{a} %{&b}" })).toMatchObject([{ path: ["pattern"], line: 1 }])
    expect(check({ pattern: "%{a} %{b}" })).toEqual([])
  })
})

describe("show", () => {
  it("says when it stops", async () => {
    const memory = new Memory()
    const instance = await show.start({ limit: 3 }, memory.nodeContext("show"))
    for (const batch of [[{ n: 1 }, { n: 2 }], [{ n: 3 }], [{ n: 4 }], [{ n: 5 }]])
      await instance.process!(batch, () => {})
    const limit = "(the limit of 3 records is reached: the others are not shown)"
    expect(memory.printed).toEqual(['{"n":1}', '{"n":2}', '{"n":3}', limit])
  })
})

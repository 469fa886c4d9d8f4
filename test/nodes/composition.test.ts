import { it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { describe, expect } from "vitest"
import type { Event } from "../../src/nodes/Node.ts"
import { dissect } from "../../src/nodes/processing/Dissect.ts"
import { filter } from "../../src/nodes/processing/Filter.ts"
import { seed } from "../support/random.ts"
import { Memory, process, run } from "./memory.ts"

const words = ["GET /a 200", "POST /b 500", "GET /c 503 ", "", "no match", "é€😀 /x 404"]

describe("a pipeline of nodes", () => {
  it.effect.prop(
    "gives what its nodes give one after the other, however the records are cut into batches",
    {
      picks: Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: words.length - 1 }))),
      size: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 64 }))
    },
    ({ picks, size }) =>
      Effect.promise(async () => {
        const lines = picks.map((pick) => words[pick]!)
        const pattern = { pattern: "%{verb} %{path} %{status}" }
        const where = { where: "status >= 500" }
        const parsed = await process(dissect, pattern, [lines.map((message) => ({ message }))])
        const kept = await process(filter, where, [parsed.get("*") ?? []])

        const bytes = new TextEncoder().encode(lines.map((line) => `${line}\r\n`).join(""))
        const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
          bytes.slice(index * size, (index + 1) * size)
        )
        const memory = new Memory({ "a.log": chunks })
        const counters = await run(
          {
            runtime: "stream",
            dag: [
              {
                type: "archive_output",
                settings: { entry: "bad.ndjson" },
                subscribe: [{ component: "node", stream: "errors" }]
              },
              {
                type: "file_output",
                settings: { path: "x.ndjson" },
                subscribe: [{ component: "filter", stream: "k" }]
              },
              {
                type: "filter",
                settings: where,
                subscribe: [{ component: "node", stream: "p" }],
                publish: [{ stream: "k" }]
              },
              {
                type: "dissect",
                component: "node",
                settings: pattern,
                subscribe: [{ component: "file_input", stream: "l" }],
                publish: [{ stream: "p" }, { stream: "errors" }]
              },
              { type: "file_input", settings: { path: "*.log" }, publish: [{ stream: "l" }] }
            ].map((node, index) => (index === 0 ? { component: "bad", ...node } : node))
          },
          memory
        )
        const text = (events: ReadonlyArray<Event> = []) => events.map((event) => `${JSON.stringify(event)}\n`).join("")
        expect(memory.written.get("x.ndjson")).toBe(text(kept.get("*")))
        expect(memory.entries.get("bad.ndjson")).toBe(text(parsed.get("errors")))
        const failed = parsed.get("errors")?.length ?? 0
        expect(counters[3]).toMatchObject({
          recordsIn: lines.length,
          recordsOut: lines.length - failed,
          errors: failed
        })
      }),
    { arbitrary: { seed, runs: 300 } }
  )

  it("shares a batch among its subscribers without any of them changing it", async () => {
    const memory = new Memory()
    const subscribe = [{ component: "in", stream: "s" }]
    await run(
      {
        runtime: "stream",
        dag: [
          {
            type: "generator_input",
            component: "in",
            settings: { messages: ["a b"], count: 2 },
            publish: [{ stream: "s" }, { stream: "t" }]
          },
          { type: "dissect", settings: { pattern: "%{x} %{y}" }, subscribe, publish: [{ stream: "s" }] },
          { type: "grok", settings: { patterns: ["%{WORD:w}"] }, subscribe, publish: [{ stream: "s" }] },
          {
            type: "show",
            subscribe: [
              ...subscribe,
              { component: "in", stream: "t" },
              { component: "dissect", stream: "s" },
              { component: "grok", stream: "s" }
            ]
          }
        ]
      },
      memory
    )
    expect(memory.printed.sort()).toEqual(
      [
        ...Array(4).fill({ message: "a b" }),
        ...Array(2).fill({ w: "a", message: "a b" }),
        ...Array(2).fill({ message: "a b", x: "a", y: "b" })
      ]
        .map((event) => JSON.stringify(event))
        .sort()
    )
  })

  it("reads several files in order, each to its own end", async () => {
    const memory = new Memory({ "b.log": "3\n4", "a.log": "1\n2", "c.log": "", "x.txt": "no" })
    await run(
      {
        runtime: "analytics",
        dag: [
          { type: "file_input", settings: { path: "*.log" }, publish: [{ stream: "s" }] },
          { type: "file_output", settings: { path: "all.txt" }, subscribe: [{ component: "file_input", stream: "s" }] }
        ]
      },
      memory
    )
    expect(memory.written.get("all.txt")).toBe("1\n2\n3\n4\n")
  })

  it("writes an empty file when nothing comes", async () => {
    const memory = new Memory({ "a.log": "" })
    await run(
      {
        runtime: "stream",
        dag: [
          { type: "file_input", settings: { path: "a.log" }, publish: [{ stream: "s" }] },
          {
            type: "file_output",
            settings: { path: "o.csv", columns: ["a"] },
            subscribe: [{ component: "file_input", stream: "s" }]
          },
          { type: "archive_output", subscribe: [{ component: "file_input", stream: "s" }] }
        ]
      },
      memory
    )
    expect(memory.written.get("o.csv")).toBe("a\r\n")
    expect(memory.entries.get("archive_output.ndjson")).toBe("")
  })
})

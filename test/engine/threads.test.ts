import { mkdtempSync, readSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Result, Schema } from "effect"
import { afterAll, describe, expect, it } from "vitest"
import { TenantFiles } from "../../src/drivers/files/TenantFiles.ts"
import { split } from "../../src/nodes/flowline/Split.ts"
import type { RunContext } from "../../src/nodes/Node.ts"
import { Flowline } from "../../src/protocol/Flowline.ts"
import type { Order } from "../../src/protocol/RunProtocol.ts"
import { pipeline } from "../../src/run/stream/Pipeline.ts"
import { merged } from "../../src/run/stream/parallel/Merge.ts"
import { part } from "../../src/run/stream/parallel/Part.ts"
import { perPart } from "../../src/run/stream/parallel/PartMessages.ts"
import { Threads } from "../../src/run/stream/parallel/PartThreads.ts"
import { TextMemory } from "../../src/run/stream/parallel/TextMemory.ts"
import { Memory } from "../nodes/memory.ts"

const root = mkdtempSync(join(tmpdir(), "flow-threads-"))
afterAll(() => rmSync(root, { recursive: true, force: true }))

const flowline = Schema.decodeUnknownSync(Flowline)({
  runtime: "stream",
  dag: [
    { type: "file_input", component: "in", settings: { path: "*.log" }, publish: [{ stream: "s" }] },
    {
      type: "grok",
      component: "parse",
      settings: { patterns: ["%{WORD:word} %{NUMBER:n:int} %{GREEDYDATA:rest}"] },
      subscribe: [{ component: "in", stream: "s" }],
      publish: [{ stream: "s" }, { stream: "errors" }]
    },
    {
      type: "dispatch",
      component: "ways",
      settings: { routes: [{ stream: "few", where: "n < 20" }], default: "many" },
      subscribe: [{ component: "parse", stream: "s" }],
      publish: [{ stream: "few" }, { stream: "many" }]
    },
    {
      type: "file_output",
      component: "less",
      settings: { path: "few.ndjson" },
      subscribe: [{ component: "ways", stream: "few" }]
    },
    {
      type: "flowlet",
      component: "mark",
      settings: { code: "if (event.n % 50 == 0) print(event.word); event.odd = event.n % 2 == 1" },
      subscribe: [{ component: "parse", stream: "s" }],
      publish: [{ stream: "s" }]
    },
    {
      type: "file_output",
      settings: { path: "o.ndjson" },
      subscribe: [
        { component: "mark", stream: "s" },
        { component: "parse", stream: "errors" }
      ]
    },
    {
      type: "aggregate",
      component: "sums",
      settings: { window: "1h", time_field: "n", group_by: ["odd"], metrics: { n: { type: "sum", field: "n" } } },
      subscribe: [{ component: "mark", stream: "s" }],
      publish: [{ stream: "s" }]
    },
    { type: "show", subscribe: [{ component: "sums", stream: "s" }] }
  ]
})

const order: Order = {
  spec: { tenant: "acme", executionId: "e", epoch: 1, flowline },
  conf: root,
  roots: {},
  data: root,
  unfinished: join(root, "unfinished"),
  scratch: join(root, "scratch"),
  blobs: { kind: "disk", root },
  memoryMib: 512,
  archiveLevel: 0,
  outputLines: 1000,
  outbound: [],
  ownPorts: [],
  outputBytes: 1000,
  fileBytes: 1000
}

const line = (at: number) => (at % 9 === 0 ? "what is this" : `word${at} ${at} ${"é".repeat(at % 4000)}\n`)
const files = {
  "a.log": Array.from({ length: 500 }, (_, at) => line(at)).join(""),
  "b.log": Array.from({ length: 300 }, (_, at) => line(at + 7)).join("")
}

const seen = ({ written, printed }: Memory) => ({ written: Object.fromEntries(written), printed })

describe("threads", () => {
  it("do what one thread does, with this one's help and without", async () => {
    const one = new Memory(files)
    const alone = pipeline(flowline, one.context)
    await alone.run()
    const parts = Result.getOrThrow(split(flowline))
    for (const [name, text] of Object.entries(files)) writeFileSync(join(root, name), text)
    const tenant = new TenantFiles(root)
    for (const [count, opens, helps] of [
      [2, true, false],
      [2, true, true],
      [1, false, false],
      [1, false, true]
    ] as const) {
      const memory = new Memory(files)
      // Files that can be opened are read by the threads; of others they get the bytes.
      const context = (component: string): RunContext => ({
        ...memory.context(component),
        ...(opens ? { openFile: (path: string) => tenant.openFile(path) } : {})
      })
      const texts = new TextMemory(perPart, (bytes) => new ArrayBuffer(bytes))
      const readAt = (file: number, into: Uint8Array, at: number) => readSync(file, into, 0, into.length, at)
      const local = () => part(flowline, parts, memory.context, { readAt, texts })
      const threads = new Threads(order, count, helps ? local : undefined)
      const { run, counters } = merged(flowline, parts, context, threads)
      await run().finally(() => threads.close())
      expect(JSON.stringify(seen(memory)) === JSON.stringify(seen(one)), `${count} ${helps}`).toBe(true)
      expect(counters()).toEqual(alone.counters())
    }
  })

  it("get their memory back in the order of their pieces, once no output has it on loan", async () => {
    const lent: Array<() => void> = []
    const memory = new Memory()
    const context = (component: string): RunContext => ({
      ...memory.context(component),
      read: async function* () {
        yield new TextEncoder().encode(line(1))
      },
      glob: async () => ["a.log", "b.log", "c.log"],
      file: async () => ({
        write: async () => {},
        lend: (_, free) => void lent.push(free),
        close: async () => {},
        copies: true
      })
    })
    const freed: Array<number> = []
    const begun: Array<number> = []
    const took = Promise.withResolvers<void>()
    const { run } = merged(flowline, Result.getOrThrow(split(flowline)), context, {
      ahead: 1,
      take: async () => {
        const piece = begun.push(begun.length) - 1
        const text = new TextEncoder().encode(`piece ${piece}\n`)
        // The second piece has no text, and could be freed before the first.
        const deliveries = piece === 1 ? [] : [{ to: "less", text, records: 1 }]
        if (piece === 2) took.resolve()
        return { part: 0, deliveries, counters: [], free: () => void freed.push(piece) }
      }
    })
    await run()
    await took.promise
    expect([lent.length, freed]).toEqual([2, []])
    lent[1]!()
    await new Promise((resolve) => setImmediate(resolve))
    expect(freed).toEqual([])
    lent[0]!()
    await new Promise((resolve) => setImmediate(resolve))
    expect(freed).toEqual([0, 1, 2])
  })
})

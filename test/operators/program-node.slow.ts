import { Schema } from "effect"
import { describe, expect, it } from "vitest"
import { guard } from "../../src/drivers/threads/TimeLimit.ts"
import type { Guard } from "../../src/languages/Guard.ts"
import { checkSettings } from "../../src/nodes/Checks.ts"
import type { Event, NodeType } from "../../src/nodes/Node.ts"
import { filter } from "../../src/nodes/processing/Filter.ts"
import { flowlet } from "../../src/nodes/processing/Flowlet.ts"
import { Memory } from "../nodes/memory.ts"

/** A guard whose time passes eight times as fast, for limits that cannot be set. */
const quick: Guard = {
  within: (millis, step) => guard.within(millis / 8, step),
  processorMillis: () => guard.processorMillis() * 8
}

/** A node's results for events in a run. Programs that do not end by themselves are interrupted. */
const run = async (
  node: NodeType,
  given: Record<string, unknown>,
  events: ReadonlyArray<Event>,
  watch: Guard = guard
) => {
  const memory = new Memory()
  const context = { ...memory.nodeContext("node"), guard: watch }
  const instance = await node.start(Schema.decodeUnknownSync(node.settings)(given), context)
  const streams: Record<string, Array<Event>> = { "*": [], errors: [] }
  await instance.process?.(events, (stream, batch) => void streams[stream]?.push(...batch))
  return { kept: streams["*"], errors: streams["errors"], printed: memory.printed }
}

const faults = (given: Record<string, unknown>) =>
  checkSettings(filter, Schema.decodeUnknownSync(filter.settings)(given), { runtime: "stream" })

const events = [{ n: 1, a: { b: "x" } }, { n: 2 }, { n: 3 }]

describe("a filter with a program", () => {
  it.each<[string, ReadonlyArray<number>]>([
    ["event.n > 1", [2, 3]],
    ["event.n > 1 // a remark", [2, 3]],
    ["event.a?.b === 'x' ||\n  event.n === 3", [1, 3]],
    ["return event.n !== 2", [1, 3]],
    ["if (event.n === 2) return true", [2]],
    ["function process(event) { return event.n % 2 }", [1, 3]],
    ["const process = ({ n }) => n < 3", [1, 2]],
    ["let seen = 0; function process() { return seen++ < 1 }", [1]],
    ["({})", [1, 2, 3]],
    ["grok('^%{INT:x}$', event.n)?.x !== '1'", [2, 3]],
    ["event.n = 9", [1, 2, 3]],
    ["'' || null || 0 || undefined", []]
  ])("%s", async (code, kept) => {
    expect(faults({ code })).toEqual([])
    const made = await run(filter, { code }, events)
    expect(made).toEqual({ kept: kept.map((n) => events[n - 1]), errors: [], printed: [] })
  })

  it("passes on the very events that it got, integers of any length included", async () => {
    const event = JSON.parse('{"id":"12345678901234567890","__proto__":{"x":1},"n":1.50}')
    const { kept } = await run(filter, { code: "delete event.id; event.more = 1; return true" }, [event])
    expect(kept?.[0]).toBe(event)
  })

  it("sends what fails to the errors, prints, and goes on", async () => {
    const code = "print(event.n); if (event.n === 1) throw new Error('no'); if (event.n === 2) for (;;); return true"
    expect(await run(filter, { code, timeout_millis: 50 }, events)).toEqual({
      kept: [{ n: 3 }],
      errors: [
        { ...events[0], error: { node: "node", reason: "Error: no at 1:51" } },
        { ...events[1], error: { node: "node", reason: "the program did not finish within 50 ms" } }
      ],
      printed: ["1", "3"]
    })
    const arrow = await run(filter, { code: "(event) => event.n > 1" }, [{}])
    expect(arrow.errors).toMatchObject([{ error: { reason: expect.stringMatching(/function: name it process/) } }])
    const promise = await run(filter, { code: "async function process() { return false }" }, [{}])
    expect(promise.errors).toEqual([
      expect.objectContaining({ error: { node: "node", reason: expect.stringMatching(/promise/) } })
    ])
  })

  it("is one of the two ways, and compiles", () => {
    expect(faults({})).toEqual([{ path: [], detail: "expected either where or code" }])
    expect(faults({ where: "a", code: "a" })).toEqual([{ path: [], detail: "expected either where or code" }])
    expect(faults({ where: "a >" })).toMatchObject([{ path: ["where"], line: 1 }])
    expect(faults({ code: "event.n > 1;" })).toEqual([
      { path: ["code"], detail: "the program returns nothing: every event would be dropped", line: 1, column: 1 }
    ])
    expect(faults({ code: "event.a &&\n  ]" })).toMatchObject([{ path: ["code"], line: 2, column: 3 }])
    expect(faults({ code: "return event.a &&\n  ]" })).toMatchObject([{ path: ["code"], line: 2, column: 3 }])
    expect(faults({ code: "return ]" })).toMatchObject([{ path: ["code"], line: 1, column: 8 }])
    expect(faults({ code: "" })).toHaveLength(1)
  })
})

describe("what no loop of the program itself does", () => {
  it.each([
    ["a search in what only looks like a list", "Array.prototype.indexOf.call({ length: 2 ** 53 - 1 }, 1)"],
    ["a regular expression of a helper", "grok('^(?:a|aa)+$', 'a'.repeat(60) + '!')"],
    ["a number of millions of digits", "for (let n = 3n; ; ) n *= n"]
  ])("%s is cut off, and the rest goes on", async (_, code) => {
    const program = `if (event.n === 2) { ${code} }`
    const { kept, errors } = await run(flowlet, { code: program, timeout_millis: 20 }, events)
    expect(kept).toEqual([events[0], events[2]])
    expect(errors).toMatchObject([{ n: 2, error: { node: "node" } }])
  })

  it("is cut off before the first event too", async () => {
    const code = "Array.prototype.indexOf.call({ length: 2 ** 53 - 1 }, 1); function process() {}"
    await expect(run(flowlet, { code }, events, quick)).rejects.toThrow("takes too long before its first event")
  })
})

import { Schema } from "effect"
import { describe, expect, it } from "vitest"
import { checkSettings } from "../../src/nodes/Checks.ts"
import type { Event } from "../../src/nodes/Node.ts"
import { flowlet } from "../../src/nodes/processing/Flowlet.ts"
import { Memory, process } from "../nodes/memory.ts"

const run = async (code: string, events: ReadonlyArray<Event>, more: Record<string, unknown> = {}) => {
  const streams = await process(flowlet, { code, ...more }, [events])
  return { events: streams.get("*") ?? [], errors: streams.get("errors") ?? [] }
}

const settings = (given: Record<string, unknown>) => Schema.decodeUnknownSync(flowlet.settings)(given)

describe("flowlet node", () => {
  it("passes on what the program returns, in order, and drops what it does not", async () => {
    const { events, errors } = await run(
      "function process(event) { if (event.n % 2) return [event, { copy: event.n }]; if (event.n) return event }",
      [{ n: 0 }, { n: 1 }, { n: 2 }, { n: 3 }]
    )
    expect(events).toEqual([{ n: 1 }, { copy: 1 }, { n: 2 }, { n: 3 }, { copy: 3 }])
    expect(errors).toEqual([])
  })

  it("sends what fails to the errors and goes on", async () => {
    const { events, errors } = await run(
      "if (event.loop) for (;;);\nif (event.bad) throw new Error('no')\nevent.ok = true",
      [{ n: 1 }, { bad: true }, { loop: true }, { n: 2 }],
      { timeout_millis: 50 }
    )
    expect(events).toEqual([
      { n: 1, ok: true },
      { n: 2, ok: true }
    ])
    expect(errors).toEqual([
      { bad: true, error: { node: "node", reason: "Error: no at 2:31" } },
      { loop: true, error: { node: "node", reason: "the program did not finish within 50 ms" } }
    ])
  })

  it("survives what breaks the sandbox", async () => {
    const deep = (levels: number): Event => (levels === 0 ? {} : { a: deep(levels - 1) })
    const events = [{ n: 1 }, deep(3000), { n: 2 }, { eat: true }, { n: 3 }]
    const result = await run("if (event.eat) { const a = []; for (;;) a.push('x'.repeat(1e5) + a.length) }", events, {
      timeout_millis: 5000
    })
    expect(result.events.filter((event) => "n" in event)).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }])
    expect(result.errors).toContainEqual(expect.objectContaining({ eat: true }))
    expect(result.events.length + result.errors.length).toBe(5)
  })

  it("works through many batches of a thousand in bounded pieces", async () => {
    const input = Array.from({ length: 5000 }, (_, n) => ({ n, text: "x".repeat(100) }))
    const { events } = await run("return [event, event]", input)
    expect(events).toHaveLength(10_000)
    expect(events.at(-1)).toEqual(input.at(-1))
  })

  it("reads its program from a file, prints, and knows the definitions", async () => {
    const memory = new Memory({ "lib/a.js": "print('é', event.n)\nevent.g = grok('%{NUM:x:int}', event.n)" })
    const instance = await flowlet.start(
      settings({ file: "lib/a.js", definitions: "NUM [0-9]+" }),
      memory.nodeContext("script")
    )
    const made: Array<Event> = []
    await instance.process?.([{ n: "42" }], (_, batch) => {
      made.push(...batch)
    })
    expect(made).toEqual([{ n: "42", g: { x: 42 } }])
    expect(memory.printed).toEqual(["é 42"])
    await expect(flowlet.start(settings({ code: "let a = ;" }), memory.nodeContext("bad"))).rejects.toThrow(
      "SyntaxError: unexpected token in expression: ';' at 1:9 of the program"
    )
  })

  it("tells the fault of a program with its position before anything runs", () => {
    const check = (given: Record<string, unknown>) => checkSettings(flowlet, settings(given), {})
    expect(check({ code: "event.a = 1" })).toEqual([])
    expect(check({ code: "const process = (e) => e" })).toEqual([])
    expect(check({ code: "while (true);" })).toEqual([])
    expect(check({ code: "a = 1\nb = ;" })).toMatchObject([{ path: ["code"], line: 2, column: 5 }])
    expect(check({ code: "(".repeat(300_000) })).toMatchObject([{ path: ["code"] }])
    expect(check({ code: "event.a = 1" })).toEqual([])
    expect(check({})).toMatchObject([{ detail: "expected either code or file" }])
    expect(check({ code: "", file: "a.js" })).toMatchObject([{ detail: "expected either code or file" }])
  })
})

import { Result, Schema } from "effect"
import { describe, expect, it, vi } from "vitest"
import { guard } from "../../src/drivers/threads/TimeLimit.ts"
import type { Guard } from "../../src/languages/Guard.ts"
import { lineTester } from "../../src/layers/operators/LineTests.ts"
import { programTester } from "../../src/layers/operators/ProgramTests.ts"
import { TestWorker } from "../../src/layers/operators/TestWorker.ts"
import type { Order, SampleTester } from "../../src/layers/operators/WorkerMessages.ts"
import type { Event, NodeType } from "../../src/nodes/Node.ts"
import { flowlet } from "../../src/nodes/processing/Flowlet.ts"
import { grok } from "../../src/nodes/processing/Grok.ts"
import type { TestProgram } from "../../src/services/operators/OperatorPool.ts"
import { Memory } from "../nodes/memory.ts"

// A record may be slow because others have the processor. That is no reason to lose it.

/** The processor time of the node stands still while the clock runs, as if others had the processor all the time. */
const idle: Guard = { ...guard, processorMillis: () => 0 }

/** The same, and the first times nothing is done before the time is over. */
const cutting = (times: number): Guard => {
  let left = times
  return { ...idle, within: (millis, step) => left-- <= 0 && guard.within(millis, step) }
}

const run = async (node: NodeType, given: Record<string, unknown>, events: ReadonlyArray<Event>, guard: Guard) => {
  const context = { ...new Memory().nodeContext("node"), guard }
  const instance = await node.start(Schema.decodeUnknownSync(node.settings)(given), context)
  const streams: Record<string, Array<Event>> = { "*": [], errors: [] }
  await instance.process?.(events, (stream, batch) => void streams[stream]?.push(...batch))
  return streams
}

const slow = "function process(event) { for (let i = 0; i < 1e6; i++); return event }"
const events = [{ n: 1 }, { n: 2 }, { n: 3 }]

describe("a record that takes long because the machine is busy", () => {
  it("is not failed by a program's time limit", async () => {
    const given = { code: slow, timeout_millis: 1 }
    expect((await run(flowlet, given, events, guard)).errors).toHaveLength(3)
    expect(await run(flowlet, given, events, idle)).toEqual({ "*": events, errors: [] })
  })

  it("is tried again when its sandbox was cut off", async () => {
    const given = { code: "event.m = event.n" }
    const done = events.map(({ n }) => ({ n, m: n }))
    // A cut during the start of the sandbox would fail the node, so the cuts come after it.
    let begun = false
    const { within } = cutting(9)
    const later: Guard = { ...idle, within: (millis, step) => (begun ? within : guard.within)(millis, step) }
    const context = { ...new Memory().nodeContext("node"), guard: later }
    const instance = await flowlet.start(Schema.decodeUnknownSync(flowlet.settings)(given), context)
    begun = true
    const kept: Array<Event> = []
    await instance.process?.(events, (stream, batch) => void (stream === "*" && kept.push(...batch)))
    expect(kept).toEqual(done)
  })

  it("is tried again by grok", async () => {
    const given = { patterns: ["^(?<x>(a|aa)+)$"] }
    const { "*": parsed, errors } = await run(grok, given, [{ message: "aa" }, { message: "a" }], cutting(9))
    expect(errors).toEqual([])
    expect(parsed).toEqual([
      { message: "aa", x: "aa" },
      { message: "a", x: "a" }
    ])
  })
})

const program = (operator: TestProgram["operator"], text: string): TestProgram => ({
  ...{
    operator,
    text,
    part: "pattern",
    split: "lines",
    definitions: "",
    shared: { version: "", sources: [], leftOut: [] }
  },
  ...{ ecsCompatibility: "disabled", appendSeparator: " " }
})

const order = (text: string, given?: TestProgram): Order => ({
  ...{
    session: 1,
    program: given,
    batch: { bytes: Buffer.from(text), firstLine: 1, cut: false },
    from: 0,
    condemned: []
  },
  allowance: { sampleMillis: 200, turnMillis: 60_000 }
})

describe("an operator test that takes long because the machine is busy", () => {
  const outcomes = async (bench: Result.Result<SampleTester, unknown>, text: string) => {
    const { matched, samples, timeouts } = await Result.getOrThrow(bench).turn(order(text))
    return { matched, samples, timeouts }
  }

  it("tries a pattern again that was cut off", async () => {
    const bench = lineTester(program("grok", "^(?<x>(a|aa)+)$"), () => {}, cutting(9))
    expect(await outcomes(bench, "aa\na\n")).toEqual({ matched: 2, samples: 2, timeouts: 0 })
  })

  it("tries a program again that was cut off", async () => {
    const bench = await programTester(program("flowlet", "event.n = 1"), () => {}, cutting(9))
    expect(await outcomes(bench, "aa\na\n")).toEqual({ matched: 2, samples: 2, timeouts: 0 })
  })

  it("keeps a worker that had no processor, and ends one that had it", async () => {
    const hand = new TestWorker(64, 60_000, () => {})
    const loops = program("flowlet", "if (event.message === 'b') for (;;);")
    expect(await hand.give(order("a", loops), 60_000)).toMatchObject({ turn: { matched: 1 } })
    // A minute passes on the clock in which the worker gets no processor.
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })
    try {
      const answer = hand.give(order("b\n"), 60_000)
      vi.advanceTimersByTime(60_000)
      expect(await answer).toMatchObject({ turn: { matched: 0, timeouts: 1 } })
    } finally {
      vi.useRealTimers()
    }
    expect(await hand.give(order("b\n"), 50)).toEqual({ lost: 0 })
    await hand.end()
  })
})

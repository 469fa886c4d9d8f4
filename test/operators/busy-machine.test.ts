import { Schema } from "effect"
import { describe, expect, it } from "vitest"
import { guard } from "../../src/drivers/threads/Watchdog.ts"
import type { Guard } from "../../src/nodes/Guard.ts"
import type { Event, NodeType } from "../../src/nodes/Node.ts"
import { flowlet } from "../../src/nodes/processing/Flowlet.ts"
import { grok } from "../../src/nodes/processing/Grok.ts"
import { Memory } from "../nodes/memory.ts"

// A record may be slow because others have the processor. That is no reason to lose it.

/** The node's time does not pass, whatever the clock says: as if others had the processor all the time. */
const idle: Guard = { ...guard, processorMillis: () => 0 }

/** The same, and what runs is cut off at its end the first times. */
const cutting = (times: number): Guard => {
  let left = times
  return { ...idle, within: (millis, step) => guard.within(millis, step) && left-- <= 0 }
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

  it("is tried again when its sandbox was cut off", { timeout: 30_000 }, async () => {
    const given = { code: "event.m = event.n" }
    const done = events.map(({ n }) => ({ n, m: n }))
    // The sandbox is begun with a cut that fails the node, so that one comes after it.
    let begun = false
    const { within } = cutting(3)
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
    const { "*": parsed, errors } = await run(grok, given, [{ message: "aa" }, { message: "a" }], cutting(4))
    expect(errors).toEqual([])
    expect(parsed).toEqual([
      { message: "aa", x: "aa" },
      { message: "a", x: "a" }
    ])
  })
})

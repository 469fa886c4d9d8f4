import { expect, it, vi } from "vitest"
import { flowlet } from "../../src/nodes/processing/Flowlet.ts"
import { process } from "./memory.ts"

it("a program that gets few records done at a time is not given all of a large batch again each time", async () => {
  const count = 60
  const records = Array.from({ length: count }, (_, n) => ({ n, text: "x".repeat(30_000) }))
  let now = 0
  // Few looks at the clock make a turn.
  const clock = vi.spyOn(performance, "now").mockImplementation(() => (now += 20))
  const crossed = vi.spyOn(JSON, "stringify")
  try {
    const streams = await process(flowlet, { code: "event.done = true", timeout_millis: 60_000 }, [records])
    expect(streams.get("*")?.map(({ n, done }) => [n, done])).toEqual(records.map(({ n }) => [n, true]))
    // Some 5 in each turn; 35 of them if a MiB went along.
    expect(crossed.mock.calls.length).toBeLessThan(count * 8)
  } finally {
    clock.mockRestore()
    crossed.mockRestore()
  }
})

import { describe, expect, it } from "vitest"
import { rateLimit } from "../../src/nodes/processing/RateLimit.ts"
import { Memory } from "./memory.ts"

const start = async (rate: number, memory = new Memory()) =>
  rateLimit.start({ records_per_second: rate }, { ...memory.nodeContext("limit"), signal: memory.abort.signal })

describe("rate_limit", () => {
  it("lets records through in order, evenly, and not faster than asked", async () => {
    const instance = await start(500)
    const times: Array<number> = []
    const seen: Array<unknown> = []
    const began = performance.now()
    for (let part = 0; part < 2; part++) {
      const batch = Array.from({ length: 100 }, (_, index) => ({ n: part * 100 + index }))
      await instance.process?.(batch, (_, events) => {
        for (const event of events) {
          times.push(performance.now() - began)
          seen.push(event["n"])
        }
      })
    }
    expect(seen).toEqual(Array.from({ length: 200 }, (_, index) => index))
    // 200 records at 2 ms each; a first tick of 20 ms is free.
    expect(times.at(-1)).toBeGreaterThan(350)
    // Never more than its share of the time that has passed, plus two ticks.
    for (const [index, time] of times.entries()) expect(index).toBeLessThanOrEqual((time + 40) / 2)
  })

  it("ends its waiting with the run", async () => {
    const memory = new Memory()
    const instance = await start(0.1, memory)
    const passed: Array<unknown> = []
    const work = instance.process?.([{ n: 1 }, { n: 2 }], (_, events) => void passed.push(...events))
    memory.abort.abort(new Error("over"))
    await work
    expect(passed).toEqual([{ n: 1 }])
  })
})

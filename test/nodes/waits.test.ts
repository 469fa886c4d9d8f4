import { afterEach, beforeEach, expect, it, vi } from "vitest"
import type { RunContext } from "../../src/nodes/Node.ts"
import { httpOutput } from "../../src/nodes/outputs/HttpOutput.ts"
import { sleep } from "../../src/nodes/time/Sleep.ts"
import { Memory, process } from "./memory.ts"

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const day = 86_400_000

it("waits for longer than a timer can", async () => {
  let isOver = false
  const waiting = sleep(60 * day, new AbortController().signal).then(() => {
    isOver = true
  })
  await vi.advanceTimersByTimeAsync(60 * day - 1)
  expect(isOver).toBe(false)
  await vi.advanceTimersByTimeAsync(1)
  await waiting
  const control = new AbortController()
  const stopped = sleep(60 * day, control.signal)
  await vi.advanceTimersByTimeAsync(30 * day)
  control.abort()
  await stopped
  expect(vi.getTimerCount()).toBe(0)
})

it("sends again when Retry-After says, as long as the records may wait", async () => {
  const memory = new Memory()
  const began = Date.now()
  const sent: Array<number> = []
  const post: RunContext["network"]["post"] = async () => {
    sent.push(Date.now() - began)
    return { status: sent.length === 3 ? 200 : 503, retryAfterMillis: 120_000 }
  }
  const { context } = memory
  Object.assign(memory, {
    context: (component: string) => ({ ...context(component), network: { ...context(component).network, post } })
  })
  const settings = { url: "https://collector.example.com/", retry_seconds: 200 }
  const done = process(httpOutput, settings, [[{ n: 1 }]], memory)
  await vi.advanceTimersByTimeAsync(300_000)
  await done
  expect(sent).toEqual([0, 120_000, 200_000])
})

import { expect, it } from "vitest"
import { noDefinitions } from "../../src/languages/grok/TenantDefinitions.ts"
import { TestWorker } from "../../src/layers/operators/TestWorker.ts"
import { TurnScheduler } from "../../src/layers/operators/TurnScheduler.ts"
import { TenantId } from "../../src/services/shared/Tenant.ts"

const program = {
  operator: "grok",
  text: "a",
  part: "pattern",
  definitions: "",
  shared: noDefinitions,
  ecsCompatibility: "disabled",
  appendSeparator: "",
  split: "lines"
} as const
const order = { batch: undefined, from: 0, condemned: [], allowance: { sampleMillis: 0, turnMillis: 0 } }

it("where no more threads may be started, tests share those that there are, and are told if there is none", async () => {
  let left = 0
  const scheduler = new TurnScheduler(2, 60_000, (ended) => {
    if (left-- <= 0) throw new Error("EAGAIN")
    return new TestWorker(128, 60_000, ended)
  })
  try {
    const tests = ["one", "two", "three"].map((tenant) => scheduler.enter(TenantId(tenant), program, false))
    const turns = () => Promise.all(tests.map((test) => scheduler.turn(test, order, 60_000)))
    expect(await turns()).toEqual(tests.map(() => ({ lost: undefined })))
    left = 1
    // The end of each turn looks for a worker for the next, again in vain.
    for (const reply of await turns()) expect(reply).toHaveProperty("turn")
    expect(left).toBeLessThan(0)
  } finally {
    await scheduler.end()
  }
})

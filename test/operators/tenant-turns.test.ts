import { expect, it } from "vitest"
import { noDefinitions } from "../../src/languages/grok/TenantDefinitions.ts"
import { TestWorker } from "../../src/layers/operators/TestWorker.ts"
import { type ScheduledTest, TurnScheduler } from "../../src/layers/operators/TurnScheduler.ts"
import type { TestProgram } from "../../src/services/operators/OperatorPool.ts"
import { TenantId } from "../../src/services/shared/Tenant.ts"

const program: TestProgram = {
  operator: "grok",
  text: "a",
  part: "pattern",
  definitions: "",
  shared: noDefinitions,
  ecsCompatibility: "disabled",
  appendSeparator: "",
  split: "lines"
}
const order = { batch: undefined, from: 0, condemned: [], allowance: { sampleMillis: 0, turnMillis: 0 } }

it("a tenant with many tests has as much of the workers as one with a single test", async () => {
  const scheduler = new TurnScheduler(1, 60_000, (ended) => new TestWorker(128, 60_000, ended))
  try {
    let over = false
    const turn = (test: ScheduledTest) => scheduler.turn(test, order, 60_000)
    const enter = (tenant: string) => scheduler.enter(TenantId(tenant), program, false)
    // What the worker takes to start is on nobody's account who is still there.
    const warm = enter("warm")
    await turn(warm)
    scheduler.leave(warm)
    const first = enter("many")
    let longest = 0
    const repeat = async (test: ScheduledTest) => {
      while (!over) {
        const { used } = test
        await turn(test)
        longest = Math.max(longest, test.used - used)
      }
    }
    const many = [first, ...Array.from({ length: 11 }, () => enter("many"))].map(repeat)
    const single = enter("single")
    expect(single.tenant.used).toBe(first.tenant.used)
    // Two turns ahead, as the batches of a test are: so one is always waiting.
    const ahead = async () => {
      for (let turns = 0; turns < 30; turns++) await turn(single)
      return { theirs: first.tenant.used, own: single.tenant.used }
    }
    const { theirs, own } = await Promise.race([ahead(), ahead()])
    over = true
    await Promise.all(many)
    expect(theirs).toBeLessThanOrEqual(own + longest)
  } finally {
    await scheduler.end()
  }
})

import { expect, it } from "vitest"
import { noDefinitions } from "../../src/languages/grok/TenantDefinitions.ts"
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
  const scheduler = new TurnScheduler(1, 128, 60_000, 60_000)
  try {
    let over = false
    const turn = (test: ScheduledTest) => scheduler.turn(test, order, 60_000)
    const enter = (tenant: string) => scheduler.enter(TenantId(tenant), program, false)
    const first = enter("many")
    // The worker is there, and what it takes to start is on the first tenant's account.
    await turn(first)
    const repeat = async (test: ScheduledTest) => {
      while (!over) await turn(test)
    }
    const many = [first, ...Array.from({ length: 11 }, () => enter("many"))].map(repeat)
    const single = enter("single")
    const before = first.tenant.used
    expect(single.tenant.used).toBe(before)
    let longest = 0
    for (let turns = 0; turns < 30; turns++) {
      const began = first.tenant.used + single.tenant.used
      await turn(single)
      longest = Math.max(longest, first.tenant.used + single.tenant.used - began)
    }
    const theirs = first.tenant.used - before
    over = true
    await Promise.all(many)
    expect(theirs).toBeLessThanOrEqual(single.tenant.used - before + longest)
  } finally {
    await scheduler.end()
  }
})

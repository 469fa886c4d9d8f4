import { describe, expect, it } from "@effect/vitest"
import { Schema } from "effect"
import { FailedLogins } from "../../src/layers/access/FailedLogins.ts"
import { VerifiedCredentials } from "../../src/layers/access/VerifiedCredentials.ts"
import { held } from "../support/heap.ts"

describe("verified credentials", () => {
  const at = () => {
    let now = 0
    const known = new VerifiedCredentials(() => now)
    const id = known.idOf("credential")
    return { known, id, pass: (millis: number) => (now += millis) }
  }

  it("are known for a minute after their last use, and for five at most", () => {
    const { known, id, pass } = at()
    known.add(id, "alice", "stored")
    pass(60_000)
    expect(known.find(id)).toMatchObject({ user: "alice", stored: "stored" })
    pass(60_001)
    expect([known.find(id), known.size]).toEqual([undefined, 0])
    known.add(id, "alice", "stored")
    const found = Array.from({ length: 7 }, () => {
      pass(50_000)
      return known.find(id) !== undefined
    })
    expect(found).toEqual([true, true, true, true, true, true, false])
  })

  it("are bounded in number, and unlike in two gateways", () => {
    const { known } = at()
    for (let n = 0; n < 10_001; n++) known.add(known.idOf(`${n}`), "alice", "stored")
    expect([known.size, known.find(known.idOf("0"))]).toEqual([10_000, undefined])
    expect(known.find(known.idOf("10000"))).toBeDefined()
    expect(at().known.idOf("0")).not.toBe(known.idOf("0"))
  })
})

describe("failed logins", () => {
  it("hold nothing of addresses that fail again and again", () => {
    const failed = new FailedLogins(() => 0)
    const before = held()
    for (let n = 0; n < 500_000; n++) failed.failed(`10.0.0.${n % 100}`)
    expect(held() - before).toBeLessThan(8_000_000)
    expect(failed.mayTry("10.0.0.1")).toBe(false)
  })

  it.prop(
    "leave an address 30 tries and one more each second, whenever they come",
    { pauses: Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 3000 }))) },
    ({ pauses }) => {
      let now = 0
      let tried = 0
      const failures = new FailedLogins(() => now)
      for (const pause of [...pauses, ...Array<number>(40).fill(1)]) {
        now += pause
        if (!failures.mayTry("one")) continue
        failures.failed("one")
        tried += 1
        expect(tried).toBeLessThanOrEqual(30 + now / 1000)
      }
      expect(tried).toBeGreaterThanOrEqual(30)
      expect(failures.mayTry("another")).toBe(true)
    },
    { arbitrary: { runs: 200 } }
  )
})

import { expect, it } from "@effect/vitest"
import { Clock, Effect, Exit, Layer, Logger, Schema } from "effect"
import { TestClock } from "effect/testing"
import { StorageUnreachable } from "../../src/errors/StorageUnreachable.ts"
import { mostLeased } from "../../src/services/limits/Bucket.ts"
import { LimitRefusals } from "../../src/services/limits/LimitRefusals.ts"
import { defaultLimitsOf, type Limits, withLimits } from "../../src/services/limits/Limits.ts"
import { RateStore } from "../../src/services/limits/RateStore.ts"
import { RequestRates } from "../../src/services/limits/RequestRates.ts"
import { TenantRules } from "../../src/services/limits/TenantRules.ts"
import { anonymous } from "../../src/services/shared/security/Principal.ts"
import { Settings } from "../../src/services/shared/settings/Settings.ts"
import * as MemoryRateStore from "../memory/RateStore.ts"
import { testSettings } from "../support/gateway.ts"

const some = testSettings({ data: "none", databaseUrl: "postgres://unused" })

/** One of several gateways on the same buckets. */
const gatewayOn = (store: RateStore["Service"], limits: Limits) =>
  Effect.map(
    Layer.build(
      RequestRates.layer.pipe(
        Layer.provide([
          Layer.succeed(RateStore, store),
          LimitRefusals.layer,
          Layer.mock(TenantRules)({
            limitsOf: () => limits,
            general: () => limits,
            rootsOf: () => ({}),
            isSuspended: () => false,
            suspended: () => []
          })
        ]),
        Layer.fresh
      )
    ),
    (context) => {
      const rates = context.mapUnsafe.get(RequestRates.key) as RequestRates["Service"]
      return Effect.suspend(() => {
        const meter = rates.meter("t", anonymous)
        return meter.tryTake() ? Effect.void : rates.take(meter)
      })
    }
  )

const between = (minimum: number, maximum: number) => Schema.Int.check(Schema.isBetween({ minimum, maximum }))
const Step = Schema.Struct({ gateway: between(0, 2), pause: between(0, 2500), requests: between(1, 60) })

interface Passed {
  readonly at: number
  readonly count: number
}

const limitsWith = (rate: number, burst: number, ofPrincipal: number | null) =>
  Effect.map(Settings, (settings) =>
    withLimits(defaultLimitsOf(settings), {
      requestsPerSecond: rate,
      burstSeconds: burst,
      requestsPerSecondOfPrincipal: ofPrincipal
    })
  )

/** Sends the requests of all steps, and returns which passed, at which time, and which were refused. */
const send = Effect.fnUntraced(function* (gateways: number, limits: Limits, steps: ReadonlyArray<typeof Step.Type>) {
  const store = yield* Effect.provide(RateStore, MemoryRateStore.layer)
  const take = yield* Effect.all(Array.from({ length: gateways }, () => gatewayOn(store, limits)))
  const passed: Array<Passed> = []
  const refused: Array<{ readonly at: number; readonly before: number; readonly retryAfter: number }> = []
  for (const { gateway, pause, requests } of steps) {
    yield* TestClock.adjust(pause)
    const at = yield* Clock.currentTimeMillis
    let count = 0
    for (let sent = 0; sent < requests; sent++) {
      const exit = yield* Effect.exit(take[gateway % gateways]!)
      if (Exit.isSuccess(exit)) count++
      else {
        const before = passed.reduce((sum, one) => sum + one.count, count)
        const error = yield* Effect.flip(exit)
        refused.push({ at, before, retryAfter: error.retryAfter ?? 0 })
      }
    }
    passed.push({ at, count })
  }
  return { passed, refused, take }
})

const given = { rate: between(1, 40), burst: between(1, 4), steps: Schema.Array(Step).check(Schema.isMaxLength(25)) }

it.effect.prop(
  "several gateways together let through no more than one bucket, and one of them not less",
  { ...given, gateways: between(1, 3) },
  ({ rate, burst, steps, gateways }) =>
    Effect.gen(function* () {
      const limits = yield* limitsWith(rate, burst, null)
      const { passed, refused } = yield* send(gateways, limits, steps)
      const capacity = rate * burst
      const held = gateways * mostLeased({ perSecond: rate, capacity })
      for (const [from, first] of passed.entries()) {
        let sum = 0
        for (const { at, count } of passed.slice(from)) {
          sum += count
          const allowed = capacity + (rate * (at - first.at)) / 1000
          // Tokens that were leased before the first of them may have been used after it.
          expect(sum).toBeLessThanOrEqual(allowed + (from === 0 ? 0 : held) + 1e-6)
        }
      }
      if (gateways > 1) return
      // A bucket that is queried for each request separately.
      let tokens = capacity
      let last = 0
      let taken = 0
      const fill = (at: number) => {
        tokens = Math.min(capacity, tokens + (rate * (at - last)) / 1000)
        last = at
      }
      const events = [...passed.map(({ at, count }) => ({ at, count }))]
      for (const refusal of refused) {
        while (events[0] !== undefined && events[0].at < refusal.at) {
          const { at, count } = events.shift()!
          fill(at)
          tokens -= count
          taken += count
        }
        fill(refusal.at)
        expect(tokens - (refusal.before - taken)).toBeLessThan(1 + 1e-6)
      }
    }).pipe(Effect.provide(some), Effect.scoped),
  { arbitrary: { runs: 300 } }
)

it.effect.prop(
  "who waits as long as a refusal says gets through",
  given,
  ({ rate, burst, steps }) =>
    Effect.gen(function* () {
      const limits = yield* limitsWith(rate, burst, rate)
      const { take } = yield* send(1, limits, steps)
      let refusal: { readonly retryAfter?: number } | undefined
      for (let sent = 0; refusal === undefined && sent <= 2 * rate * burst; sent++) {
        refusal = yield* Effect.match(take[0]!, { onFailure: (error) => error, onSuccess: () => undefined })
      }
      expect(refusal?.retryAfter).toBeGreaterThanOrEqual(1)
      yield* TestClock.adjust((refusal?.retryAfter ?? 0) * 1000)
      yield* take[0]!
    }).pipe(Effect.provide(some), Effect.scoped),
  { arbitrary: { runs: 100 } }
)

it.effect("a clock that is turned back keeps nobody out for longer, nor a database that is away", () =>
  Effect.gen(function* () {
    const limits = yield* limitsWith(10, 1, null)
    const memory = yield* Effect.provide(RateStore, MemoryRateStore.layer)
    let isAway = false
    const lease: RateStore["Service"]["lease"] = (...given) =>
      isAway ? Effect.fail(new StorageUnreachable({ storage: "metadata" })) : memory.lease(...given)
    const take = yield* gatewayOn(RateStore.of({ ...memory, lease }), limits)
    const passing = (count: number) =>
      Effect.map(
        Effect.forEach(Array.from({ length: count }), () => Effect.exit(take)),
        (exits) => exits.filter(Exit.isSuccess).length
      )
    const turnBack = Effect.flatMap(Clock.currentTimeMillis, (now) => TestClock.setTime(now - 3_600_000))
    expect(yield* passing(30)).toBe(10)
    yield* turnBack
    // The bucket of all counts from the first time that it sees after that.
    yield* TestClock.adjust("1 second")
    yield* passing(1)
    yield* TestClock.adjust("2 seconds")
    expect(yield* passing(30)).toBe(10)
    isAway = true
    yield* TestClock.adjust("2 seconds")
    yield* passing(30)
    yield* turnBack
    isAway = false
    yield* TestClock.adjust("2 seconds")
    yield* passing(1)
    yield* TestClock.adjust("2 seconds")
    expect(yield* passing(30)).toBe(10)
  }).pipe(Effect.provide(some), Effect.scoped)
)

it.effect("while the database is away a gateway grants its share, says so once, and goes back", () =>
  Effect.gen(function* () {
    const limits = yield* limitsWith(10, 2, null)
    const memory = yield* Effect.provide(RateStore, MemoryRateStore.layer)
    let isAway = false
    let asked = 0
    const store = RateStore.of({
      ...memory,
      lease: (...given) =>
        Effect.suspend(() => {
          asked++
          if (isAway && asked % 2 === 0) return Effect.die("odd")
          if (isAway) return Effect.fail(new StorageUnreachable({ storage: "metadata" }))
          return Effect.map(memory.lease(...given), (lease) => ({ ...lease, gateways: 2 }))
        })
    })
    const logged: Array<string> = []
    const logger = Logger.make(({ message }) => void logged.push(String([message].flat()[0])))
    yield* Effect.gen(function* () {
      const take = yield* gatewayOn(store, limits)
      const passing = (count: number) =>
        Effect.map(
          Effect.forEach(Array.from({ length: count }), () => Effect.exit(take)),
          (exits) => exits.filter(Exit.isSuccess).length
        )
      yield* passing(20)
      isAway = true
      yield* TestClock.adjust("1 second")
      // Half of a full bucket, as there are two gateways, and then half of the rate.
      expect(yield* passing(30)).toBe(10)
      yield* TestClock.adjust("1 second")
      expect(yield* passing(30)).toBe(5)
      const before = asked
      expect(yield* passing(100)).toBe(0)
      // The database is queried once per second.
      expect(asked - before).toBeLessThanOrEqual(1)
      expect(logged).toEqual(["The database does not answer: this gateway grants its own share of the rate limits"])
      isAway = false
      yield* TestClock.adjust("10 seconds")
      yield* passing(1)
      yield* TestClock.adjust("10 seconds")
      expect(yield* passing(40)).toBe(20)
      expect(logged).toHaveLength(2)
    }).pipe(Effect.provide(Logger.layer([logger])))
  }).pipe(Effect.provide(some), Effect.scoped)
)

import { it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Schema } from "effect"
import { describe, expect } from "vitest"
import { FairSemaphore, lastingPlaces } from "../../src/services/shared/capacity/FairSemaphore.ts"
import { TenantId } from "../../src/services/shared/Tenant.ts"
import { seed } from "../support/random.ts"

describe("slots for runs", () => {
  it.effect("go round between tenants, and by arrival within one", () =>
    Effect.gen(function* () {
      const slots = new FairSemaphore({ all: 1, each: 1 })
      const order: Array<string> = []
      const gate = yield* Deferred.make<void>()
      const work = (name: string) =>
        slots.within(
          TenantId(name[0]!),
          Effect.andThen(
            Deferred.await(gate),
            Effect.sync(() => void order.push(name))
          )
        )
      const names = ["a1", "a2", "a3", "a4", "b1", "b2", "c1"]
      const fibers: Array<Fiber.Fiber<void>> = []
      for (const name of names) fibers.push(yield* Effect.forkChild(work(name), { startImmediately: true }))
      yield* Deferred.succeed(gate, undefined)
      yield* Effect.forEach(fibers, (fiber) => Fiber.join(fiber))
      expect(order).toEqual(["a1", "a2", "b1", "c1", "a3", "b2", "a4"])
    })
  )

  it.effect("are given up by who stops waiting, and given back by who is interrupted or fails", () =>
    Effect.gen(function* () {
      const slots = new FairSemaphore({ all: 1, each: 1 })
      const running = yield* Effect.forkChild(slots.within(TenantId("a"), Effect.never), { startImmediately: true })
      const waiting = yield* Effect.forkChild(slots.within(TenantId("a"), Effect.never), { startImmediately: true })
      const last = yield* Effect.forkChild(slots.within(TenantId("a"), Effect.succeed("done")), {
        startImmediately: true
      })
      yield* Fiber.interrupt(waiting)
      yield* Fiber.interrupt(running)
      expect(yield* Fiber.join(last)).toBe("done")
      expect(yield* Effect.flip(slots.within(TenantId("b"), Effect.fail("failed")))).toBe("failed")
      expect(yield* slots.within(TenantId("c"), Effect.succeed(1))).toBe(1)
    })
  )

  it.effect("keep the last ones for tenants that have none, and refuse who comes to a full queue", () =>
    Effect.gen(function* () {
      const turns = new FairSemaphore({ all: 4, each: 4, kept: 2, queue: { each: 1, full: () => "full" as const } })
      const begin = (tenant: string) =>
        Effect.forkChild(turns.within(TenantId(tenant), Effect.never), { startImmediately: true })
      const of = (tenant: string, count: number) => Effect.forEach(Array(count), () => begin(tenant))
      const [first] = yield* of("a", 3)
      expect(yield* Effect.flip(turns.within(TenantId("a"), Effect.void))).toBe("full")
      // Two of a run and one waits; what is left goes to others, one each.
      yield* of("b", 1)
      expect(yield* turns.within(TenantId("c"), Effect.succeed("turn"))).toBe("turn")
      yield* Fiber.interrupt(first!)
      // The waiting one of a may not take the place: two are free, and both are kept.
      yield* of("c", 1)
      expect(yield* turns.within(TenantId("d"), Effect.succeed("turn"))).toBe("turn")
    })
  )

  it.effect("of runs that never end are not all taken by two tenants", () =>
    Effect.gen(function* () {
      const turns = new FairSemaphore(lastingPlaces({ all: 16, each: 8 }))
      let running = 0
      const endless = Effect.andThen(
        Effect.sync(() => running++),
        Effect.never
      )
      for (const tenant of ["a", "b"]) {
        yield* Effect.forEach(Array(10), () =>
          Effect.forkChild(turns.within(TenantId(tenant), endless), { startImmediately: true })
        )
      }
      expect(running).toBe(12)
      for (const tenant of ["c", "d", "e", "f"]) {
        yield* Effect.forkChild(turns.within(TenantId(tenant), endless), { startImmediately: true })
      }
      expect(running).toBe(16)
      expect(lastingPlaces({ all: 4, each: 4 }).kept).toBe(0)
    })
  )

  const Tenant = Schema.Literals(["a", "b", "c"])
  it.effect.prop(
    "never exceed their limits, and reach everybody, also when some are interrupted",
    {
      tenants: Schema.Array(Schema.Tuple([Tenant, Schema.Boolean])).check(Schema.isMaxLength(40)),
      all: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 5 })),
      each: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 3 }))
    },
    ({ tenants, all, each }) =>
      Effect.gen(function* () {
        const slots = new FairSemaphore({ all, each })
        const running = new Map<string, number>()
        let most = 0
        const work = (tenant: string) =>
          slots.within(
            TenantId(tenant),
            Effect.acquireUseRelease(
              Effect.sync(() => {
                running.set(tenant, (running.get(tenant) ?? 0) + 1)
                most = Math.max(
                  most,
                  [...running.values()].reduce((sum, count) => sum + count, 0)
                )
                expect(running.get(tenant)).toBeLessThanOrEqual(each)
              }),
              () => Effect.yieldNow,
              () => Effect.sync(() => running.set(tenant, running.get(tenant)! - 1))
            )
          )
        const fibers: Array<readonly [Fiber.Fiber<unknown>, boolean]> = []
        for (const [tenant, isCut] of tenants)
          fibers.push([yield* Effect.forkChild(work(tenant), { startImmediately: true }), isCut])
        for (const [fiber, isCut] of fibers) if (isCut) yield* Fiber.interrupt(fiber)
        for (const [fiber, isCut] of fibers) if (!isCut) yield* Fiber.join(fiber)
        expect(most).toBeLessThanOrEqual(all)
        expect([...running.values()].every((count) => count === 0)).toBe(true)
        expect(yield* slots.within(TenantId("d"), Effect.succeed("still"))).toBe("still")
      }),
    { arbitrary: { seed } }
  )
})

import { expect, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Layer, Scope } from "effect"
import { RequestMemory } from "../../src/services/shared/capacity/RequestMemory.ts"
import { TenantId } from "../../src/services/shared/Tenant.ts"
import { testSettings } from "../support/gateway.ts"

const settings = testSettings({ databaseUrl: "postgres://unused", requestMemory: { all: 1600, each: 800 } })

it.effect("a few tenants do not take the memory that is kept for the others", () =>
  Effect.gen(function* () {
    const memory = yield* RequestMemory
    const hold = Effect.fnUntraced(function* (tenant: string, bytes: number) {
      const scope = yield* Scope.make()
      const fiber = yield* Effect.forkChild(Scope.provide(memory.hold(TenantId(tenant), bytes), scope), {
        startImmediately: true
      })
      return { fiber, isHeld: () => fiber.pollUnsafe() !== undefined, end: Scope.close(scope, Exit.void) }
    })
    const many = (tenant: string, number: number) => Effect.all(Array.from({ length: number }, () => hold(tenant, 100)))

    const ones = yield* many("one", 8)
    const others = yield* many("other", 8)
    expect([ones, others].map((all) => all.filter(({ isHeld }) => isHeld()).length)).toEqual([8, 4])

    // Neither is held up by those that wait.
    const large = yield* hold("third", 300)
    const small = yield* hold("fourth", 100)
    const more = yield* hold("fourth", 100)
    expect([large, small, more].map(({ isHeld }) => isHeld())).toEqual([true, true, false])

    for (const { end } of [...ones.slice(0, 5), large, small]) yield* end
    expect(others.map(({ isHeld }) => isHeld())).toEqual(Array(8).fill(true))
    expect(more.isHeld()).toBe(true)
    for (const { fiber } of others) yield* Fiber.interrupt(fiber)
  }).pipe(Effect.provide(RequestMemory.layer.pipe(Layer.provide(settings))))
)

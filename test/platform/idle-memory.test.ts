import { constants, PerformanceObserver } from "node:perf_hooks"
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { type IdleLimits, idleness, layer } from "../../src/layers/IdleMemory.ts"

const isWhole = (detail: unknown): boolean =>
  typeof detail === "object" &&
  detail !== null &&
  "flags" in detail &&
  detail.flags === constants.NODE_PERFORMANCE_GC_FLAGS_ALL_AVAILABLE_GARBAGE

/** Counts full garbage collections, which V8 does not start by itself, until there are `enough`. */
const collections = (limits: Omit<IdleLimits, "every">, enough: number) =>
  Effect.gen(function* () {
    let count = 0
    const observer = new PerformanceObserver((list) => {
      count += list.getEntries().filter((entry) => "detail" in entry && isWhole(entry.detail)).length
    })
    observer.observe({ entryTypes: ["gc"] })
    yield* Effect.addFinalizer(() => Effect.sync(() => observer.disconnect()))
    return yield* Effect.sync(() => count).pipe(
      Effect.delay("5 millis"),
      Effect.repeat({ until: (made) => made >= enough, times: enough < 1 ? 50 : 20_000 }),
      Effect.provide(layer({ ...limits, every: "2 millis" }))
    )
  }).pipe(Effect.scoped)

const always = { quiet: 1, looks: 1, worth: Number.NEGATIVE_INFINITY }

// These come first, because the collections of the others may be reported late.
it.live.each([
  { why: "there is something to do", limits: { ...always, quiet: -1 } },
  { why: "it has not been idle for long", limits: { ...always, looks: Number.POSITIVE_INFINITY } },
  { why: "there is nothing to give", limits: { ...always, worth: Number.POSITIVE_INFINITY } }
])("lets the heap alone while $why", ({ limits }) =>
  Effect.gen(function* () {
    expect(yield* collections(limits, 0.1)).toBe(0)
  })
)

it.live("gives memory back when there is nothing to do, again and again", () =>
  Effect.gen(function* () {
    expect(yield* collections(always, 3)).toBeGreaterThanOrEqual(3)
  })
)

it("is idle after so many quiet looks in a row", () => {
  const isIdle = idleness({ quiet: 0.02, looks: 3 })
  const seen = [0.01, 0, 0.5, 0.02, 0, 0.01, 0, 0.03, 0].map(isIdle)
  expect(seen).toEqual([false, false, false, false, false, true, true, false, false])
})

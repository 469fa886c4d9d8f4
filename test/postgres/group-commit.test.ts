import { expect, it } from "@effect/vitest"
import { Context, Deferred, Effect, Exit, Fiber } from "effect"
import { groupCommit } from "../../src/layers/postgres/statements/GroupCommit.ts"
import { until } from "../support/process.ts"

/** Calls that wait until they are released, and the entries that each has taken. */
const calls = () => {
  const taken: Array<ReadonlyArray<number>> = []
  const gates: Array<Deferred.Deferred<void, string>> = []
  const share = groupCommit<string, number, number, string>(
    Context.empty(),
    (_, take) =>
      Effect.gen(function* () {
        const items = take()
        taken.push(items)
        const gate = Deferred.makeUnsafe<void, string>()
        gates.push(gate)
        yield* Deferred.await(gate)
        return items.map((item) => item * 10)
      }),
    { weightOf: () => 0.5, expectsMore: () => false }
  )
  const ask = (item: number, key = "k") => Effect.forkChild(share(key, item), { startImmediately: true })
  const release = (at: number, result: Effect.Effect<void, string> = Effect.void) =>
    Deferred.doneUnsafe(gates[at]!, result)
  return { taken, ask, release }
}

it.live("those who come while a call is under way share the next one, as far as there is room in it", () =>
  Effect.gen(function* () {
    const { taken, ask, release } = calls()
    const fibers = [yield* ask(1), yield* ask(2), yield* ask(3), yield* ask(4)]
    const other = yield* ask(9, "other")
    expect(taken).toEqual([[1], [9]])
    release(0)
    expect(yield* Fiber.join(fibers[0]!)).toBe(10)
    expect(taken).toEqual([[1], [9], [2, 3]])
    release(2)
    expect(yield* Fiber.join(fibers[2]!)).toBe(30)
    release(3)
    release(1)
    expect(yield* Effect.all([...fibers, other].map((fiber) => Fiber.join(fiber)))).toEqual([10, 20, 30, 40, 90])
  })
)

it.live("who leaves has no part in a call that has not begun, and does not end one that has", () =>
  Effect.gen(function* () {
    const { taken, ask, release } = calls()
    const first = yield* ask(1)
    const second = yield* ask(2)
    const third = yield* ask(3)
    yield* Fiber.interrupt(second)
    yield* Fiber.interrupt(first)
    release(0)
    yield* Effect.yieldNow
    release(1)
    expect(yield* Fiber.join(third)).toBe(30)
    expect(taken).toEqual([[1], [3]])
  })
)

it.live("a failure is that of all who share the call, and of no other", () =>
  Effect.gen(function* () {
    const { ask, release } = calls()
    const fibers = [yield* ask(1), yield* ask(2)]
    release(0, Effect.fail("away"))
    expect(yield* Fiber.await(fibers[0]!)).toEqual(Exit.fail("away"))
    release(1)
    expect(yield* Fiber.join(fibers[1]!)).toBe(20)
  })
)

it.live("a call that does not end holds nobody up for more than a second", () =>
  Effect.gen(function* () {
    const { taken, ask, release } = calls()
    const first = yield* ask(1)
    const second = yield* ask(2)
    yield* until(
      Effect.sync(() => taken.length),
      (calls) => calls === 2
    )
    release(1)
    expect(yield* Fiber.join(second)).toBe(20)
    release(0)
    expect(yield* Fiber.join(first)).toBe(10)
  })
)

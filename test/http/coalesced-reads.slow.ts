import { assert, describe, it, layer } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Schema, Scope } from "effect"
import { CoalescedReads } from "../../src/services/shared/reads/CoalescedReads.ts"
import { flowlineForm, gateway, raw, TestGateway } from "../support/gateway.ts"

/** A place that is written and read. Each read waits for its turn before it looks. */
const place = () => {
  const state = { value: 0, reads: 0, given: 0, open: 0, ending: Deferred.makeUnsafe<void, string>() }
  const read = Effect.gen(function* () {
    yield* Effect.acquireRelease(
      Effect.sync(() => void state.open++),
      () => Effect.sync(() => void state.open--)
    )
    state.reads += 1
    const { value } = state
    yield* Deferred.await(state.ending).pipe(Effect.onInterrupt(() => Effect.sync(() => void state.given++)))
    return value
  })
  /** Ends the read that is under way. */
  const end = (exit: Exit.Exit<void, string>) =>
    Effect.suspend(() => {
      const { ending } = state
      state.ending = Deferred.makeUnsafe()
      return Effect.andThen(Deferred.done(ending, exit), Effect.yieldNow)
    })
  return { state, read, end }
}

interface Asked {
  readonly at: number
  readonly fiber: Fiber.Fiber<{ readonly value: number; readonly isFirst: boolean }, string>
  readonly scope: Scope.Closeable
}

const ask = (read: Effect.Effect<number, string, Scope.Scope>, at: number) =>
  Effect.gen(function* () {
    const reads = yield* CoalescedReads
    const scope = yield* Scope.make()
    const fiber = yield* Effect.forkChild(Scope.provide(reads.share("key", read), scope), { startImmediately: true })
    return { at, fiber, scope } satisfies Asked
  })

const leave = ({ fiber, scope }: Asked) => Effect.andThen(Fiber.interrupt(fiber), Scope.close(scope, Exit.void))

const Step = Schema.Literals(["ask", "ask", "ask", "write", "end", "end", "fail", "leave"])

describe("Equal reads", () => {
  it.effect.prop(
    "find what was there after they were asked for, and let go of what they hold",
    { steps: Schema.Array(Schema.Tuple([Step, Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 7 }))])) },
    ({ steps }) =>
      Effect.gen(function* () {
        const { state, read, end } = place()
        const asked: Array<Asked> = []
        for (const [step, which] of steps) {
          if (step === "ask") asked.push(yield* ask(read, state.value))
          if (step === "write") state.value += 1
          if (step === "end") yield* end(Exit.void)
          if (step === "fail") yield* end(Exit.fail("unreachable"))
          const gone = asked[which]
          if (step === "leave" && gone !== undefined) yield* leave(gone)
          yield* Effect.yieldNow
          assert.isAtMost(state.open, 1 + asked.length)
        }
        // One is under way, and one waits for it.
        yield* end(Exit.void)
        yield* end(Exit.void)
        for (const { at, fiber } of asked) {
          const exit = yield* Fiber.await(fiber)
          if (Exit.isSuccess(exit)) assert.isAtLeast(exit.value.value, at)
        }
        yield* Effect.forEach(asked, leave, { discard: true })
        assert.deepStrictEqual({ open: state.open, reads: state.reads <= asked.length }, { open: 0, reads: true })
      }).pipe(Effect.provide(CoalescedReads.layer)),
    { arbitrary: { runs: 300 } }
  )

  it.effect("are two for any number of requests: the one under way, and the next", () =>
    Effect.gen(function* () {
      const { state, read, end } = place()
      const first = yield* ask(read, 0)
      state.value = 1
      const others = yield* Effect.forEach(Array.from({ length: 20 }), () => ask(read, 1))
      yield* end(Exit.void)
      yield* end(Exit.void)
      assert.strictEqual((yield* Fiber.join(first.fiber)).value, 0)
      const found = yield* Effect.forEach(others, ({ fiber }) => Fiber.join(fiber))
      assert.deepStrictEqual(
        found.map(({ value }) => value),
        Array.from({ length: 20 }, () => 1)
      )
      assert.deepStrictEqual([found.filter(({ isFirst }) => isFirst).length, state.reads], [1, 2])
    }).pipe(Effect.provide(CoalescedReads.layer))
  )

  it.effect("go on without the request that began them, and end with the last one", () =>
    Effect.gen(function* () {
      const { state, read, end } = place()
      const first = yield* ask(read, 0)
      const [second, third] = [yield* ask(read, 0), yield* ask(read, 0)]
      yield* leave(first)
      assert.strictEqual(state.given, 1)
      yield* leave(second)
      yield* Effect.yieldNow
      assert.deepStrictEqual([state.reads, state.given], [2, 1])
      yield* end(Exit.void)
      assert.strictEqual((yield* Fiber.join(third.fiber)).value, 0)
      assert.strictEqual(state.open, 1)
      yield* leave(third)
      assert.strictEqual(state.open, 0)
    }).pipe(Effect.provide(CoalescedReads.layer))
  )

  it.effect("fail together with the one before them", () =>
    Effect.gen(function* () {
      const { state, read, end } = place()
      const asked = yield* Effect.forEach([1, 2, 3], () => ask(read, 0))
      yield* end(Exit.fail("unreachable"))
      const exits = yield* Effect.forEach(asked, ({ fiber }) => Fiber.await(fiber))
      assert.deepStrictEqual(
        exits,
        [1, 2, 3].map(() => Exit.fail("unreachable"))
      )
      assert.strictEqual(state.reads, 1)
      // The next one tries again.
      const later = yield* ask(read, 0)
      yield* end(Exit.void)
      assert.strictEqual((yield* Fiber.join(later.fiber)).value, 0)
    }).pipe(Effect.provide(CoalescedReads.layer))
  )
})

const tenant = "mytenant"
const flowline = `name: "${"long ".repeat(200)}"
runtime: stream
dag:
  - type: generator_input
    settings: { messages: [a], count: 1 }
    publish: [ { stream: o } ]
  - type: show
    subscribe: [ { component: generator_input, stream: o } ]
`

layer(gateway())("Lists that many ask for at once", (it) => {
  it.effect.each(["?limit=100", ""])("are the same for all, and have what was saved before (%s)", (query) =>
    Effect.gen(function* () {
      const { client } = yield* TestGateway
      const list = Effect.flatMap(raw(`/v1/${tenant}/flowline${query}`), (answer) =>
        Effect.promise(async () => ({ tag: answer.headers.get("etag"), text: await answer.text() }))
      )
      for (let round = 0; round < 60; round++) {
        const before = yield* Effect.forkChild(Effect.all([list, list, list], { concurrency: "unbounded" }))
        const payload = flowlineForm(flowline)
        const { id } = yield* client.flowlines.save({ params: { tenant }, query: {}, payload })
        const after = yield* Effect.all(
          Array.from({ length: 8 }, () => list),
          { concurrency: "unbounded" }
        )
        assert.isTrue(after.every(({ text }) => text.includes(`"${id}"`)))
        assert.strictEqual(new Set(after.map(({ tag, text }) => `${tag} ${text}`)).size, 1)
        yield* Fiber.join(before)
      }
    })
  )

  it.effect("are read by each request alone when they are longer than what is kept in memory", () =>
    Effect.gen(function* () {
      const { client } = yield* TestGateway
      const payload = () => flowlineForm(flowline.replace("[a]", `["${"x".repeat(100_000)}"]`))
      for (let count = 0; count < 15; count++) {
        yield* client.flowlines.save({ params: { tenant }, query: {}, payload: payload() })
      }
      const list = Effect.flatMap(raw(`/v1/${tenant}/flowline`), (answer) => Effect.promise(() => answer.text()))
      const texts = yield* Effect.all(
        Array.from({ length: 6 }, () => list),
        { concurrency: "unbounded" }
      )
      assert.isAbove(texts[0]!.length, 1_500_000)
      assert.strictEqual(new Set(texts).size, 1)
      assert.isAtLeast((JSON.parse(texts[0]!) as ReadonlyArray<unknown>).length, 15)
    })
  )
})

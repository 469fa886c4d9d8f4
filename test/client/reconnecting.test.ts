import { describe, expect, it } from "@effect/vitest"
import { Clock, Deferred, Effect, Exit, Fiber, Schema, Stream } from "effect"
import { HttpClientError, HttpClientRequest, HttpClientResponse } from "effect/http"
import * as TestClock from "effect/testing/TestClock"
import { reconnecting } from "../../packages/client/src/Follow.ts"
import { NotFound } from "../../src/errors/NotFound.ts"
import { Overloaded } from "../../src/errors/Overloaded.ts"

const request = HttpClientRequest.get("http://gateway.test/")
const answer = (body: string | ReadableStream<Uint8Array<ArrayBuffer>>) =>
  HttpClientResponse.fromWeb(request, new Response(body))
const noConnection = new HttpClientError.HttpClientError({ reason: new HttpClientError.TransportError({ request }) })

const decode = ({ event, data }: { readonly event: string; readonly data: string }) =>
  Effect.map(Schema.decodeUnknownEffect(Schema.fromJsonString(Schema.Number))(data), (n) => ({ event, n }))

/** Follows a sequence of answers, and records each request with its time. */
const following = (
  answers: ReadonlyArray<
    Effect.Effect<HttpClientResponse.HttpClientResponse, HttpClientError.HttpClientError | Overloaded | NotFound>
  >
) =>
  Effect.gen(function* () {
    const asked: Array<readonly [after: string | undefined, at: number]> = []
    const open = (after: string | undefined) =>
      Effect.flatMap(Clock.currentTimeMillis, (at) => {
        asked.push([after, at])
        return answers[asked.length - 1] ?? Effect.never
      })
    const fiber = yield* Effect.forkChild(Stream.runCollect(reconnecting(open, decode, ({ event }) => event === "end")))
    return { asked, fiber }
  })

describe("an event stream", () => {
  it.effect("goes on after the last whole event, with growing pauses, until the end", () =>
    Effect.gen(function* () {
      const { asked, fiber } = yield* following([
        Effect.fail(noConnection),
        Effect.fail(new Overloaded({})),
        Effect.succeed(answer(": hello\n\nid: 1\ndata: 10\n\nid: 2\ndata: 20\n\nid: 3\ndata: 3")),
        Effect.succeed(answer("id: 3\ndata: 30\n\nevent: end\ndata: 0\n\nid: 9\ndata: 90\n\n"))
      ])
      for (let second = 0; second < 10; second++) yield* TestClock.adjust("1 second")
      const events = yield* Fiber.join(fiber)
      expect(events.map(({ n }) => n).slice(0, 4)).toEqual([10, 20, 30, 0])
      expect(asked.map(([after]) => after)).toEqual([undefined, undefined, undefined, "2"])
      const pauses = asked.slice(1).map(([, at], index) => at - asked[index]![1])
      // Half of the pause is random, and received data resets the pauses.
      for (const [index, longest] of [1000, 2000, 1000].entries()) {
        expect(pauses[index]).toBeGreaterThanOrEqual(longest / 2)
        expect(pauses[index]).toBeLessThanOrEqual(longest)
      }
    })
  )

  it.effect("honours the pause that the server asks for", () =>
    Effect.gen(function* () {
      const { asked, fiber } = yield* following([
        Effect.succeed(answer("retry: 20000\n\nid: 1\ndata: 1\n\n")),
        Effect.succeed(answer("event: end\ndata: 0\n\n"))
      ])
      yield* TestClock.adjust("9 seconds")
      expect(asked).toHaveLength(1)
      yield* TestClock.adjust("11 seconds")
      expect(yield* Fiber.join(fiber)).toHaveLength(2)
    })
  )

  it.effect("gives up a connection that is silent for a minute", () =>
    Effect.gen(function* () {
      const { asked, fiber } = yield* following([
        Effect.succeed(answer(new ReadableStream())),
        Effect.succeed(answer("event: end\ndata: 0\n\n"))
      ])
      yield* TestClock.adjust("59 seconds")
      expect(asked).toHaveLength(1)
      yield* TestClock.adjust("3 seconds")
      expect(yield* Fiber.join(fiber)).toHaveLength(1)
    })
  )

  it.effect("fails at once with what another request cannot mend", () =>
    Effect.gen(function* () {
      const missing = new NotFound({ kind: "execution" })
      const refused = yield* following([Effect.fail(missing)])
      expect(yield* Fiber.await(refused.fiber)).toEqual(Exit.fail(missing))
      const garbled = yield* following([Effect.succeed(answer("id: 1\ndata: x\n\n"))])
      expect(Exit.isFailure(yield* Fiber.await(garbled.fiber))).toBe(true)
      expect([refused.asked.length, garbled.asked.length]).toEqual([1, 1])
    })
  )

  it.effect("reads no further than its consumer", () =>
    Effect.gen(function* () {
      let made = 0
      const body = new ReadableStream<Uint8Array<ArrayBuffer>>(
        {
          pull(controller) {
            made += 1
            controller.enqueue(new TextEncoder().encode(`id: ${made}\ndata: ${made}\n\n`))
          }
        },
        { highWaterMark: 0 }
      )
      const taken = yield* Deferred.make<void>()
      const stream = reconnecting(
        () => Effect.succeed(answer(body)),
        decode,
        () => false
      )
      const fiber = yield* stream.pipe(
        Stream.take(1),
        Stream.runForEach(() => Effect.andThen(Deferred.succeed(taken, undefined), Effect.never)),
        Effect.forkChild
      )
      yield* Deferred.await(taken)
      for (let turn = 0; turn < 100; turn++) yield* Effect.yieldNow
      expect(made).toBeLessThanOrEqual(2)
      yield* Fiber.interrupt(fiber)
    })
  )
})

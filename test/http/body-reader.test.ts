import { expect, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber } from "effect"
import { HttpServerRequest } from "effect/http"
import { receiveBody } from "../../src/services/http/BodyReader.ts"
import { type BodyObserver, offerSubscription } from "../../src/services/shared/bytes/BodySubscription.ts"

/** A request whose body is offered without its stream. What is done to the body is in `done`. */
const offered = () => {
  const request = HttpServerRequest.fromWeb(new Request("http://x/"))
  const done: Array<string> = []
  const observers: Array<BodyObserver> = []
  offerSubscription(request.source, (observer) => {
    observers.push(observer)
    const note = (what: string) => () => void done.push(what)
    return { pause: note("pause"), resume: note("resume"), cancel: note("cancel") }
  })
  return { request, done, body: () => observers[0]! }
}

const bytes = (first: number) => new Uint8Array([first])
const never = () => false

it.effect("a body is paused while a chunk has something to wait for, and goes on then", () =>
  Effect.gen(function* () {
    const { request, done, body } = offered()
    const room = yield* Deferred.make<void>()
    const taken: Array<number> = []
    const write = (chunk: Uint8Array) => {
      taken.push(chunk[0]!)
      return chunk[0] === 2 ? Deferred.await(room) : undefined
    }
    const received = yield* Effect.forkChild(receiveBody(request, write, never), { startImmediately: true })
    body().chunk(bytes(1))
    expect(done).toEqual(["resume"])
    body().chunk(bytes(2))
    expect(done).toEqual(["resume", "pause"])
    yield* Deferred.succeed(room, undefined)
    yield* Effect.yieldNow
    expect(done).toEqual(["resume", "pause", "resume"])
    body().end()
    yield* Fiber.join(received)
    expect([done.at(-1), taken]).toEqual(["cancel", [1, 2]])
  })
)

it.effect("a body that is over, breaks off or cannot be taken is cancelled", () =>
  Effect.gen(function* () {
    const ended = (write: (chunk: Uint8Array) => undefined, isOver: () => boolean, act: (body: BodyObserver) => void) =>
      Effect.gen(function* () {
        const { request, done, body } = offered()
        const received = yield* Effect.forkChild(receiveBody(request, write, isOver), { startImmediately: true })
        act(body())
        const exit = yield* Fiber.await(received)
        // Later data is not accepted.
        body().chunk(bytes(9))
        body().fail()
        expect(done).toEqual(["resume", "cancel"])
        return exit
      })
    let taken = 0
    const count = () => {
      taken++
      return undefined
    }
    const chunk = (body: BodyObserver) => body.chunk(bytes(1))
    expect(yield* ended(count, () => true, chunk)).toEqual(Exit.void)
    expect(taken).toBe(1)
    const broken = yield* ended(count, never, (body) => body.fail())
    expect(Exit.isFailure(broken) && String(broken.cause)).toContain("The form is invalid")
    const fault = new Error("fault")
    const failing = () => {
      throw fault
    }
    expect(yield* ended(failing, never, chunk)).toEqual(Exit.die(fault))
  })
)

it.effect("a body whose reception is interrupted is left", () =>
  Effect.gen(function* () {
    const { request, done } = offered()
    const received = yield* Effect.forkChild(
      receiveBody(request, () => undefined, never),
      { startImmediately: true }
    )
    yield* Fiber.interrupt(received)
    expect(done).toEqual(["resume", "cancel"])
  })
)

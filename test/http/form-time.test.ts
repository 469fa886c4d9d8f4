import { expect, it } from "@effect/vitest"
import { Clock, Effect, Fiber } from "effect"
import { HttpServerRequest } from "effect/http"
import { TestClock } from "effect/testing"
import { readForm } from "../../src/services/http/FormReader.ts"

const rules = { parts: { file: { limit: 10 * 1024 * 1024, limitName: "file", required: true } } }
const head = '--b\r\ncontent-disposition: form-data; name="file"\r\n\r\n'

/** A request whose body arrives on request. */
const slow = () => {
  let feed: ReadableStreamDefaultController<Uint8Array> | undefined
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => {
      feed = controller
    }
  })
  const headers = { "content-type": "multipart/form-data; boundary=b" }
  const init: RequestInit & { duplex: "half" } = { method: "POST", headers, body, duplex: "half" }
  const send = (text: string) => feed!.enqueue(new TextEncoder().encode(text))
  return { request: HttpServerRequest.fromWeb(new Request("http://x/", init)), send, end: () => feed!.close() }
}

/** Lets the sent bytes arrive. */
const arrived = Effect.promise(() => new Promise((resolve) => setTimeout(resolve, 20)))

it.effect("a form that stands still is refused after half a minute, and one that moves is not", () =>
  Effect.gen(function* () {
    const still = slow()
    const moving = slow()
    const stopped = yield* Effect.forkChild(Effect.flip(readForm(still.request, rules)), { startImmediately: true })
    const going = yield* Effect.forkChild(readForm(moving.request, rules), { startImmediately: true })
    still.send(head)
    moving.send(head)
    for (let minute = 0; minute < 3; minute++) {
      moving.send("x".repeat(1024 * 1024))
      yield* arrived
      yield* TestClock.adjust("29 seconds")
    }
    expect(yield* Fiber.join(stopped)).toMatchObject({
      _tag: "RequestTimeout",
      detail: "The form came too slowly: beyond 30 seconds it must bring 16 KiB a second"
    })
    moving.send("\r\n--b--\r\n")
    moving.end()
    expect((yield* Fiber.join(going)).get("file")?.bytes.length).toBe(3 * 1024 * 1024)
  })
)

/** The clock of a machine, which is set by some milliseconds while time goes on as before. */
const machine = Effect.clockWith((clock) =>
  Effect.sync(() => {
    let by = 0
    const millis = () => clock.currentTimeMillisUnsafe() + by
    const wall = { currentTimeMillisUnsafe: millis, currentTimeMillis: Effect.sync(millis) }
    const set = (millis: number) => {
      by = millis
    }
    return { clock: Object.assign(Object.create(clock) as Clock.Clock, wall), set }
  })
)

it.effect("a form goes on when the clock of the machine is set forward", () =>
  Effect.gen(function* () {
    const { clock, set } = yield* machine
    const form = slow()
    const reading = yield* Effect.forkChild(Effect.provideService(readForm(form.request, rules), Clock.Clock, clock), {
      startImmediately: true
    })
    form.send(head)
    yield* arrived
    set(3_600_000)
    form.send("x")
    yield* arrived
    form.send("\r\n--b--\r\n")
    form.end()
    expect((yield* Fiber.join(reading)).get("file")?.bytes.length).toBe(1)
  })
)

import { Effect, Exit, type Fiber, Stream } from "effect"
import type { HttpServerRequest } from "effect/http"
import type { BadRequest } from "../../errors/BadRequest.ts"
import { type BodyObserver, type BodySubscription, subscriptionOf } from "../shared/bytes/BodySubscription.ts"
import { ofForm, unreadable } from "./FormParser.ts"

const broken = () => unreadable([ofForm("the body could not be received")])

/** The body of a request. */
export const bodyOf = (request: HttpServerRequest.HttpServerRequest): Stream.Stream<Uint8Array, BadRequest> =>
  Stream.mapError(request.stream, broken)

/** Takes a chunk. The returned effect, if any, has to be run before the next chunk. */
type Write<E> = (chunk: Uint8Array) => Effect.Effect<void, E> | undefined

const observed = <E>(
  subscribe: (observer: BodyObserver) => BodySubscription,
  write: Write<E>,
  isOver: () => boolean
): Effect.Effect<void, BadRequest | E> =>
  Effect.callback((resume) => {
    let isEnded = false
    let waiting: Fiber.Fiber<void, E> | undefined
    const cancel = () => {
      isEnded = true
      subscription.cancel()
    }
    const end = (result: Effect.Effect<void, BadRequest | E>) => {
      if (isEnded) return
      cancel()
      resume(result)
    }
    const waited = (exit: Exit.Exit<void, E>) => {
      waiting = undefined
      if (isEnded) return
      if (Exit.isFailure(exit) || isOver()) end(exit)
      else subscription.resume()
    }
    const subscription = subscribe({
      chunk: (chunk) => {
        if (isEnded) return
        try {
          const next = write(chunk)
          if (next !== undefined) {
            subscription.pause()
            waiting = Effect.runFork(next)
            waiting.addObserver(waited)
          } else if (isOver()) end(Effect.void)
        } catch (error) {
          end(Effect.die(error))
        }
      },
      end: () => end(Effect.void),
      fail: () => end(Effect.fail(broken()))
    })
    subscription.resume()
    return Effect.sync(() => {
      if (!isEnded) cancel()
      waiting?.interruptUnsafe()
    })
  })

/** Passes the chunks of a body to `write` until its end, or until it is over before. */
export const receiveBody = <E>(
  request: HttpServerRequest.HttpServerRequest,
  write: Write<E>,
  isOver: () => boolean
): Effect.Effect<void, BadRequest | E> =>
  Effect.suspend(() => {
    const subscribe = subscriptionOf(request.source)
    if (subscribe !== undefined) return observed(subscribe, write, isOver)
    return Stream.runForEachWhile(bodyOf(request), (chunk) => Effect.map(write(chunk) ?? Effect.void, () => !isOver()))
  })

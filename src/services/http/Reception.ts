import { Effect, Exit, type Fiber, Stream } from "effect"
import type { HttpServerRequest } from "effect/http"
import type { BadRequest } from "../../errors/BadRequest.ts"
import { type Inflow, type Intake, inflowOf } from "../shared/bytes/BodySubscription.ts"
import { unreadable } from "./FormParser.ts"

const broken = () => unreadable([{ detail: "the body could not be received" }])

/** The body of a request. */
export const bodyOf = (request: HttpServerRequest.HttpServerRequest): Stream.Stream<Uint8Array, BadRequest> =>
  Stream.mapError(request.stream, broken)

/** Takes a chunk. The returned effect, if any, has to be run before the next chunk. */
type Write<E> = (chunk: Uint8Array) => Effect.Effect<void, E> | undefined

const flowing = <E>(
  open: (intake: Intake) => Inflow,
  write: Write<E>,
  isOver: () => boolean
): Effect.Effect<void, BadRequest | E> =>
  Effect.callback((resume) => {
    let isEnded = false
    let waiting: Fiber.Fiber<void, E> | undefined
    const leave = () => {
      isEnded = true
      inflow.leave()
    }
    const end = (result: Effect.Effect<void, BadRequest | E>) => {
      if (isEnded) return
      leave()
      resume(result)
    }
    const waited = (exit: Exit.Exit<void, E>) => {
      waiting = undefined
      if (isEnded) return
      if (Exit.isFailure(exit) || isOver()) end(exit)
      else inflow.resume()
    }
    const inflow = open({
      chunk: (chunk) => {
        if (isEnded) return
        try {
          const next = write(chunk)
          if (next !== undefined) {
            inflow.hold()
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
    inflow.resume()
    return Effect.sync(() => {
      if (!isEnded) leave()
      waiting?.interruptUnsafe()
    })
  })

/** Passes the chunks of a body to `write` until its end, or until it is over before. */
export const receivedBy = <E>(
  request: HttpServerRequest.HttpServerRequest,
  write: Write<E>,
  isOver: () => boolean
): Effect.Effect<void, BadRequest | E> =>
  Effect.suspend(() => {
    const open = inflowOf(request.source)
    if (open !== undefined) return flowing(open, write, isOver)
    return Stream.runForEachWhile(bodyOf(request), (chunk) => Effect.map(write(chunk) ?? Effect.void, () => !isOver()))
  })

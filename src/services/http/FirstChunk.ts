import { Effect, Pull, type Scope, Stream } from "effect"

/**
 * Waits for the first chunk of a stream and returns the stream including that chunk. A source that cannot be read then
 * fails before the status of the answer is sent, so the answer can be a problem.
 */
export const withFirstChunk = <A, E, R>(
  stream: Stream.Stream<A, E, R>
): Effect.Effect<Stream.Stream<A, E>, E, R | Scope.Scope> =>
  Effect.gen(function* () {
    const pull = yield* Stream.toPull(stream)
    const first = yield* Pull.catchDone(pull, () => Effect.undefined)
    if (first === undefined) return Stream.empty
    let taken = false
    return Stream.fromPull(
      Effect.succeed(
        Effect.suspend(() => {
          if (taken) return pull
          taken = true
          return Effect.succeed(first)
        })
      )
    )
  })

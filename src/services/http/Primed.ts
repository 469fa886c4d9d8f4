import { Effect, Pull, type Scope, Stream } from "effect"

/**
 * The same stream, with its first chunk already there when the effect succeeds. An answer that starts with it can
 * still be a problem with a status of its own when the source cannot be read at all.
 */
export const primed = <A, E, R>(
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

import { type Array as Arr, Effect, Pull, type Scope, Stream } from "effect"

/** A source that was read up to a limit: all of it, or a stream that begins with what was read. */
type ReadAhead<A, E> =
  | { readonly _tag: "Whole"; readonly items: ReadonlyArray<A> }
  | { readonly _tag: "Longer"; readonly all: Stream.Stream<A, E> }

/**
 * Reads a stream until its items weigh more than the limit. What is shorter can be answered as a whole, with a length
 * and a tag. A source that cannot be read fails before the status of the answer is sent.
 */
export const readAhead = <A, E, R>(
  stream: Stream.Stream<A, E, R>,
  most: number,
  weightOf: (item: A) => number
): Effect.Effect<ReadAhead<A, E>, E, R | Scope.Scope> =>
  Effect.gen(function* () {
    const pull = yield* Stream.toPull(stream)
    const read: Array<Arr.NonEmptyReadonlyArray<A>> = []
    let weight = 0
    while (weight <= most) {
      const chunk = yield* Pull.catchDone(pull, () => Effect.undefined)
      if (chunk === undefined) return { _tag: "Whole", items: read.flat() }
      read.push(chunk)
      for (const item of chunk) weight += weightOf(item)
    }
    const next = Effect.suspend(() => {
      // Removes each chunk from the list when it is passed on, so that it can be collected.
      const chunk = read.shift()
      return chunk === undefined ? pull : Effect.succeed(chunk)
    })
    return { _tag: "Longer", all: Stream.fromPull(Effect.succeed(next)) }
  })

/**
 * Waits for the first chunk of a stream and returns the stream including that chunk. A source that cannot be read then
 * fails before the status of the answer is sent, so the answer can be a problem.
 */
export const withFirstChunk = <A, E, R>(
  stream: Stream.Stream<A, E, R>
): Effect.Effect<Stream.Stream<A, E>, E, R | Scope.Scope> =>
  Effect.map(
    readAhead(stream, 0, () => 1),
    (found) => (found._tag === "Longer" ? found.all : Stream.empty)
  )

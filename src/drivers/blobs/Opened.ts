import { Cause, Effect, Stream } from "effect"
import { StorageUnreachable } from "../../errors/StorageUnreachable.ts"

/** Bytes read at once: a larger chunk means fewer turns of the event loop per megabyte. */
export const chunkSize = 512 * 1024

/** How long an opened blob waits for its reader, in milliseconds. */
const patience = 10_000

/** Gives the bytes of an opened blob one chunk after the other, and undefined after the last. */
export interface Chunks {
  readonly next: () => Promise<Uint8Array | undefined>
  readonly close: () => void
}

/**
 * The bytes of a blob that is open already, so that one that is removed now is still read to its end. It is closed when
 * the stream ends in any way, when `signal` is aborted already, and after ten seconds when nobody has started the
 * stream; a stream that is run then, or a second time, opens it again.
 */
export const streamOf = <A>(
  first: A,
  source: {
    readonly reopen: () => Promise<A>
    readonly chunks: (opened: A) => Chunks
    readonly close: (opened: A) => void
  },
  signal: AbortSignal
): Stream.Stream<Uint8Array, StorageUnreachable> => {
  let waiting: { readonly opened: A } | undefined = { opened: first }
  const giveUp = () => {
    waiting = undefined
    source.close(first)
  }
  const timer = setTimeout(giveUp, patience).unref()
  if (signal.aborted) {
    clearTimeout(timer)
    giveUp()
  }

  const take = async (): Promise<Chunks> => {
    const { opened } = waiting ?? { opened: await source.reopen() }
    waiting = undefined
    clearTimeout(timer)
    return source.chunks(opened)
  }
  const unreachable = () => new StorageUnreachable({ storage: "data" })
  const acquire = Effect.uninterruptible(Effect.tryPromise({ try: take, catch: unreachable }))
  return Stream.unwrap(
    Effect.map(
      Effect.acquireRelease(acquire, (chunks) => Effect.sync(chunks.close)),
      (chunks) =>
        Stream.fromPull(
          Effect.succeed(
            Effect.flatMap(Effect.tryPromise({ try: chunks.next, catch: unreachable }), (chunk) =>
              chunk === undefined ? Cause.done() : Effect.succeed([chunk] as const)
            )
          )
        )
    )
  )
}

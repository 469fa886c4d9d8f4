import { Cause, Effect, Stream } from "effect"
import { StorageUnreachable } from "../../errors/StorageUnreachable.ts"
import { blockSize } from "./BlockSums.ts"
import { type Chunks, remember } from "./Chunks.ts"

/** Number of bytes read at once: larger chunks need fewer turns of the event loop per megabyte. */
export const chunkSize = blockSize

/** How long an opened blob waits for its reader, in milliseconds. */
const patience = 10_000

/**
 * The bytes of a blob that is already open, so a blob that is removed later can still be read. It is closed when the
 * stream ends in any way, when `signal` is already aborted, and after ten seconds without a reader. A stream that is
 * run later than that, or a second time, opens the blob again.
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
  const stream = Stream.unwrap(
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
  remember(stream, take)
  return stream
}

import { Cause, Effect, Stream } from "effect"
import { StorageUnreachable } from "../../../errors/StorageUnreachable.ts"
import { codeOf } from "../../Failure.ts"
import { blockSize } from "../BlockSums.ts"
import { type Chunks, remember } from "../Chunks.ts"
import { DamagedBlob } from "./VerifiedChunks.ts"

/** Number of bytes read at once: larger chunks need fewer turns of the event loop per megabyte. */
export const chunkSize = blockSize

/** Whether the disk itself says that it cannot read the bytes. */
export const isUnreadable = (error: unknown): boolean => codeOf(error) === "EIO"

/** How long an opened blob waits for its reader, in milliseconds. */
const patience = 10_000

/** A stored blob, or a span of it. `A` is what holds it open. */
interface Source<A> {
  readonly open: (signal?: AbortSignal) => Promise<A>
  /** The verified bytes, which fail with {@link DamagedBlob}. */
  readonly chunks: (opened: A) => Chunks
  readonly close: (opened: A) => void
}

/**
 * The bytes of a blob. It is open when the promise resolves, so a blob that is removed later can still be read. It is
 * closed when the stream ends in any way, when `signal` was aborted before it was open, and after ten seconds without a
 * reader. A stream that is run later than that, or a second time, opens the blob again. `damaged` is called when the
 * bytes are not those that were stored.
 */
export const streamOf = async <A>(
  source: Source<A>,
  damaged: () => void,
  signal: AbortSignal
): Promise<Stream.Stream<Uint8Array, StorageUnreachable>> => {
  const reporting = async <B>(run: () => Promise<B>): Promise<B> => {
    try {
      return await run()
    } catch (error) {
      if (error instanceof DamagedBlob || isUnreadable(error)) damaged()
      throw error
    }
  }
  const first = await reporting(() => source.open(signal))
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
    const { opened } = waiting ?? { opened: await reporting(() => source.open()) }
    waiting = undefined
    clearTimeout(timer)
    const chunks = source.chunks(opened)
    return { ...chunks, next: () => reporting(chunks.next) }
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

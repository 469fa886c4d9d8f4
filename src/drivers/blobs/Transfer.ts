import { Effect } from "effect"
import type { StorageUnreachable } from "../../errors/StorageUnreachable.ts"
import type { Blob } from "./Blobs.ts"
import { chunkSourceOf } from "./ChunkSource.ts"

/** The source of a write failed, not the storage. */
class SourceFailure {
  readonly cause: unknown
  constructor(cause: unknown) {
    this.cause = cause
  }
}

/**
 * Runs the write of a blob. A failure of its source is `onSourceError`'s, or a defect; any other is `failed`'s. An
 * interruption waits until the write has cleaned up.
 */
export const writing = <E>(
  run: (signal: AbortSignal) => Promise<Blob>,
  failed: (error: unknown) => Effect.Effect<never, StorageUnreachable>,
  onSourceError: ((cause: unknown) => E) | undefined
): Effect.Effect<Blob, StorageUnreachable | E> => {
  const failure = (error: unknown) => {
    if (!(error instanceof SourceFailure)) return failed(error)
    return onSourceError === undefined ? Effect.die(error.cause) : Effect.fail(onSourceError(error.cause))
  }
  return Effect.callback((resume, signal) => {
    const done = run(signal).then(
      (blob) => resume(Effect.succeed(blob)),
      (error) => resume(failure(error))
    )
    return Effect.promise(() => done)
  })
}

/** The controls of a transfer for its taker. After `stop` or `finish` no further step is taken. */
interface Course {
  /** Whether the source has ended. */
  readonly ended: boolean
  /** Requests the next chunk. */
  readonly ask: () => void
  /** Pauses the source. */
  readonly hold: () => void
  /** Runs the taker's next step. */
  readonly advance: () => void
  readonly stop: (error: unknown) => void
  readonly finish: () => void
}

interface Taker {
  /**
   * Receives a chunk. After the following step, `isCopied` tells whether it was copied completely. One that nobody else
   * uses (`isOwn`) may be freed when it is copied in a later step.
   */
  readonly receive: (chunk: Uint8Array, isOwn: boolean) => void
  readonly isCopied: () => boolean
  readonly step: () => void
}

/**
 * Moves a source into a taker. Uses callbacks, because a promise race per chunk would keep all its reactions in memory
 * until the end. Rejects at the first failure or when `signal` is aborted, even while the source is silent; a write may
 * then still be running.
 */
export const transfer = (
  source: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
  takerOf: (course: Course) => Taker
): Promise<void> =>
  new Promise((resolve, reject) => {
    let ended = false
    let settled = false

    const settle = (done: () => void) => {
      if (settled) return
      settled = true
      signal.removeEventListener("abort", abort)
      done()
    }
    const stop = (error: unknown) =>
      settle(() => {
        reject(error)
        if (!ended) chunks.leave()
      })
    const abort = () => stop(signal.reason)
    const advance = () => {
      if (!settled) taker.step()
    }
    const taker = takerOf({
      get ended() {
        return ended
      },
      ask: () => chunks.ask(),
      hold: () => chunks.hold(),
      advance,
      stop,
      finish: () => settle(resolve)
    })
    const chunks = chunkSourceOf(source, {
      chunk: (chunk, isOwn = false) => {
        taker.receive(chunk, isOwn)
        advance()
        return taker.isCopied()
      },
      end: () => {
        ended = true
        advance()
      },
      fail: (cause) => {
        ended = true
        stop(new SourceFailure(cause))
      }
    })

    signal.addEventListener("abort", abort, { once: true })
    if (signal.aborted) abort()
    else advance()
  })

import { chunkSourceOf } from "./ChunkSource.ts"

/** The source of a write failed: not the storage's fault. */
export class SourceFailure {
  readonly cause: unknown
  constructor(cause: unknown) {
    this.cause = cause
  }
}

/** What a taker knows of its transfer, and tells it. After `stop` or `finish` its steps are no longer taken. */
export interface Course {
  /** Whether the source has nothing more. */
  readonly ended: boolean
  /** Asks for the next chunk. */
  readonly ask: () => void
  /** Asks the source to wait. */
  readonly hold: () => void
  /** Takes the next step. */
  readonly advance: () => void
  readonly stop: (error: unknown) => void
  readonly finish: () => void
}

export interface Taker {
  /** Receives a chunk, and tells afterwards, when the next step was taken, whether it was copied whole. */
  readonly receive: (chunk: Uint8Array) => void
  readonly isCopied: () => boolean
  readonly step: () => void
}

/**
 * Moves a source into a taker. Written as callbacks, because a promise race per chunk would keep every one of its
 * reactions until the end. Rejects at the first failure or when `signal` is aborted, also while the source has nothing
 * to say; a write may then still be running.
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
        if (!ended) feed.leave()
      })
    const abort = () => stop(signal.reason)
    const advance = () => {
      if (!settled) taker.step()
    }
    const taker = takerOf({
      get ended() {
        return ended
      },
      ask: () => feed.ask(),
      hold: () => feed.hold(),
      advance,
      stop,
      finish: () => settle(resolve)
    })
    const feed = chunkSourceOf(source, {
      chunk: (chunk) => {
        taker.receive(chunk)
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

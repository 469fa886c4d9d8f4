import { feedOf } from "./Feed.ts"
import type { Intake } from "./Intake.ts"
import { SourceFailure } from "./Pump.ts"

const nothing: Uint8Array = new Uint8Array(0)

/**
 * Moves a source into an intake, which copies the bytes. Rejects at the first failure or when `signal` is aborted, even
 * while the source is silent; a write may then still be running.
 */
export const pour = (source: AsyncIterable<Uint8Array>, intake: Intake, signal: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    let rest = nothing
    let ended = false
    let settled = false

    const finish = (settle: () => void) => {
      if (settled) return
      settled = true
      signal.removeEventListener("abort", abort)
      settle()
    }
    const stop = (error: unknown) =>
      finish(() => {
        reject(error)
        if (!ended) feed.leave()
      })
    const abort = () => stop(signal.reason)

    const advance = () => {
      if (settled) return
      try {
        intake.check()
        const taken = intake.take(rest)
        // The memory of a fully copied chunk may be released, so no reference to it may remain.
        rest = taken === rest.length ? nothing : rest.subarray(taken)
      } catch (error) {
        stop(error)
        return
      }
      if (rest.length > 0) {
        feed.hold()
        intake.whenRoom(advance)
      } else if (ended) finish(resolve)
      else feed.ask()
    }
    const feed = feedOf(source, {
      chunk: (chunk) => {
        rest = chunk
        advance()
        return rest.length === 0
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

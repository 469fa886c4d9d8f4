import { type Duration, Effect, Layer } from "effect"
import { inBackground } from "../services/shared/Background.ts"

/** When memory is returned to the system. */
export interface IdleLimits {
  readonly every: Duration.Input
  /**
   * Below this share of a core for the main thread since the last check (0 to 1), the gateway counts as idle. Not the
   * utilization of the event loop: on a busy machine that grows while the thread waits for a core.
   */
  readonly quiet: number
  /** Minimum growth of the memory since it was smallest, in bytes: of the heap, and of the buffers outside it. */
  readonly worth: number
  /**
   * Milliseconds of the processor that the main thread has used since the last collection, at least. What was in use then
   * may be garbage by now, and an idle gateway makes hardly any.
   */
  readonly work: number
}

const usual: IdleLimits = { every: "5 seconds", quiet: 0.02, worth: 32 * 1024 * 1024, work: 200 }

/** Milliseconds of the processor that the main thread has used. */
const used = (): number => {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

const inUse = (): number => {
  const { heapTotal, external } = process.memoryUsage()
  return heapTotal + external
}

/** Collects garbage through Node's inspector protocol, which needs no flags and returns pages to the system. */
const collect = Effect.promise(async () => {
  const { Session } = await import("node:inspector/promises")
  const session = new Session()
  session.connect()
  await session.post("HeapProfiler.collectGarbage").finally(() => session.disconnect())
})

/**
 * Collects garbage when the gateway is idle, to return the memory of a start or a busy period. V8 collects only when
 * memory is allocated, which may never happen in an idle process. A collection blocks the process for about 50 ms.
 */
export const layer = ({ every, quiet, worth, work }: IdleLimits = usual) =>
  Layer.effectDiscard(
    Effect.suspend(() => {
      let seen = { at: performance.now(), used: used() }
      let smallest = 0
      let collectedAt = 0
      const look = Effect.suspend(() => {
        const now = { at: performance.now(), used: used() }
        const utilization = (now.used - seen.used) / (now.at - seen.at)
        seen = now
        if (utilization > quiet || inUse() - smallest < worth || now.used - collectedAt < work) return Effect.void
        // A collection that fails, as on a Node without an inspector, is tried again after some work.
        collectedAt = now.used
        return Effect.andThen(
          collect,
          Effect.sync(() => {
            smallest = smallest === 0 ? inUse() : Math.min(smallest, inUse())
            collectedAt = used()
          })
        )
      })
      return inBackground("The return of idle memory", look, every)
    })
  )

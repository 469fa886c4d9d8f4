import { type Duration, Effect, Layer } from "effect"
import { inBackground } from "../services/shared/process/Background.ts"

/** When memory is returned to the system. */
export interface IdleLimits {
  readonly every: Duration.Input
  /** Below this utilization of the event loop since the last check (0 to 1), the gateway counts as idle. */
  readonly quiet: number
  /** Number of quiet checks in a row after which memory is collected. */
  readonly looks: number
  /** Minimum growth of the memory since the last collection, in bytes: of the heap, and of the buffers outside it. */
  readonly worth: number
}

const usual: IdleLimits = { every: "5 seconds", quiet: 0.02, looks: 4, worth: 32 * 1024 * 1024 }

/**
 * Tells whether the last `looks` checks in a row were quiet, given the utilization since the last one. Nothing is
 * collected between two bursts of requests: a collection drops V8's hidden classes of the objects that requests make,
 * and with them the optimized code, and the first second afterwards takes twice the processor time.
 */
export const idleness = ({ quiet, looks }: Pick<IdleLimits, "quiet" | "looks">) => {
  let seen = 0
  return (utilization: number): boolean => {
    seen = utilization > quiet ? 0 : seen + 1
    return seen >= looks
  }
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
export const layer = ({ every, worth, ...limits }: IdleLimits = usual) =>
  Layer.effectDiscard(
    Effect.suspend(() => {
      let seen = performance.eventLoopUtilization()
      let kept = 0
      const isIdle = idleness(limits)
      const look = Effect.suspend(() => {
        const now = performance.eventLoopUtilization()
        const { utilization } = performance.eventLoopUtilization(now, seen)
        seen = now
        if (!isIdle(utilization) || inUse() - kept < worth) return Effect.void
        // A collection that fails, as on a Node without an inspector, is tried again when more memory is in use.
        kept = inUse()
        return Effect.andThen(
          collect,
          Effect.sync(() => {
            kept = inUse()
          })
        )
      })
      return inBackground("The return of idle memory", look, every)
    })
  )

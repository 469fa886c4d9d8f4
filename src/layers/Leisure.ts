import { type Duration, Effect, Layer, Schedule } from "effect"

/** When memory is given back. */
export interface LeisureLimits {
  readonly every: Duration.Input
  /** How much of the time between two looks the event loop may have worked, from 0 to 1. */
  readonly quiet: number
  /** Bytes that the heap must have grown since the last time. */
  readonly worth: number
}

const usual: LeisureLimits = { every: "5 seconds", quiet: 0.02, worth: 32 * 1024 * 1024 }

/** By the protocol of Node's inspector, which needs no flags: a collection that also returns pages to the system. */
const collect = Effect.promise(async () => {
  const { Session } = await import("node:inspector/promises")
  const session = new Session()
  session.connect()
  await session.post("HeapProfiler.collectGarbage").finally(() => session.disconnect())
})

/**
 * Gives back what a start, or a busy time, has left on the heap once the gateway has nothing to do: V8 itself collects
 * when memory is asked for, which in a quiet process may be never. It takes about 50 ms, in which nothing else is done.
 */
export const layer = ({ every, quiet, worth }: LeisureLimits = usual) =>
  Layer.effectDiscard(
    Effect.suspend(() => {
      let seen = performance.eventLoopUtilization()
      let kept = 0
      const look = Effect.suspend(() => {
        const now = performance.eventLoopUtilization()
        const { utilization } = performance.eventLoopUtilization(now, seen)
        seen = now
        if (utilization > quiet || process.memoryUsage().heapTotal - kept < worth) return Effect.void
        return Effect.andThen(
          collect,
          Effect.sync(() => {
            kept = process.memoryUsage().heapTotal
          })
        )
      })
      // A Node without an inspector works as well: it only stays larger.
      const watch = Effect.ignoreCause(Effect.repeat(Effect.delay(look, every), Schedule.forever))
      return Effect.forkScoped(watch)
    })
  )

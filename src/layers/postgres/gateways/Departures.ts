import { Context, Effect, Latch } from "effect"
import type { StorageUnreachable } from "../../../errors/StorageUnreachable.ts"

/** News of gateways that have gone, and what this one takes over when another one goes. */
export class Departures extends Context.Service<
  Departures,
  {
    /** Number of departures that this process has seen. */
    readonly seen: () => number
    /** Waits until more than this number have been seen. */
    readonly after: (seen: number) => Effect.Effect<void>
    readonly add: Effect.Effect<void>
    /**
     * Removes the gateways that have been silent for too long, and so their shards. Their silence is measured against a
     * heartbeat of this moment: those that others give may be an interval old.
     */
    readonly removeSilent: Effect.Effect<void, StorageUnreachable>
    /** The runs of the other gateway that has the most: when it goes, this one may get all of them. */
    readonly mostRuns: () => number
  }
>()("flow-gateway/layers/Departures") {}

/** Departures that are counted by running `add`. */
export const makeDepartures = (
  given: Pick<Departures["Service"], "removeSilent" | "mostRuns">
): Departures["Service"] => {
  let count = 0
  let next = Latch.makeUnsafe(false)
  return {
    ...given,
    seen: () => count,
    after: (seen) => Effect.suspend(() => (count > seen ? Effect.void : next.await)),
    add: Effect.sync(() => {
      count++
      next.openUnsafe()
      next = Latch.makeUnsafe(false)
    })
  }
}

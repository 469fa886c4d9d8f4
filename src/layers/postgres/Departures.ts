import { Context, Effect, Latch } from "effect"

/** News of gateways that have gone. */
export class Departures extends Context.Service<
  Departures,
  {
    /** Number of departures that this process has seen. */
    readonly seen: () => number
    /** Waits until more than this number have been seen. */
    readonly after: (seen: number) => Effect.Effect<void>
    readonly add: Effect.Effect<void>
  }
>()("flow-gateway/layers/Departures") {}

export const makeDepartures = (): Departures["Service"] => {
  let count = 0
  let next = Latch.makeUnsafe(false)
  return {
    seen: () => count,
    after: (seen) => Effect.suspend(() => (count > seen ? Effect.void : next.await)),
    add: Effect.sync(() => {
      count++
      next.openUnsafe()
      next = Latch.makeUnsafe(false)
    })
  }
}

import { type Clock, Effect } from "effect"

/**
 * Milliseconds of the monotonic clock, for durations. The machine's clock can be set: by hand, by NTP after a start without
 * a battery, by the host of a paused machine. Effect's `currentTimeNanos` follows that clock.
 */
export const monotonicMillis = (clock: Clock.Clock): number => Number(clock.monotonicTimeNanosUnsafe()) / 1e6

/** The same as an effect. */
export const monotonicNow: Effect.Effect<number> = Effect.clockWith((clock) =>
  Effect.sync(() => monotonicMillis(clock))
)

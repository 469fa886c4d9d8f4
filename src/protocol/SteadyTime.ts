import { type Clock, Effect } from "effect"

/**
 * Milliseconds of a clock that nobody sets, for durations. The machine's own is set: by hand, by NTP after a start without
 * a battery, by the host of a paused machine. Effect's `currentTimeNanos` follows it.
 */
export const monotonicMillis = (clock: Clock.Clock): number => Number(clock.monotonicTimeNanosUnsafe()) / 1e6

/** The same as an effect. */
export const steadyMillis: Effect.Effect<number> = Effect.clockWith((clock) =>
  Effect.sync(() => monotonicMillis(clock))
)

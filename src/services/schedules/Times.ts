import { Hash, Result } from "effect"
import { parseCron } from "../../languages/cron/CronText.ts"
import { type CronTimes, cronTimes } from "../../languages/cron/ZonedTimes.ts"
import { durationMillis } from "../../languages/DurationText.ts"
import type { Trigger } from "./Schedule.ts"

/** Milliseconds after which a time that no gateway has fired counts as missed. A takeover takes less. */
export const missedAfter = 60_000

/** Times that `catchUp: all` makes up for at most. */
export const mostCaughtUp = 100

/** The times of a schedule, in epoch milliseconds. Both functions are strict: never the given time itself. */
type Times = CronTimes

/** The times of a checked trigger; undefined if it has none. An interval counts from `anchor`. */
export const timesOf = ({ cron, zone, every }: Trigger, anchor: number): Times | undefined => {
  if (every !== undefined) {
    const period = durationMillis(every)
    return {
      next: (after) => anchor + (Math.floor((after - anchor) / period) + 1) * period,
      previous: (before) => anchor + (Math.ceil((before - anchor) / period) - 1) * period
    }
  }
  if (cron === undefined) return undefined
  return cronTimes(Result.getOrThrow(parseCron(cron)), zone ?? "UTC")
}

/** What to do with the times that are due. */
export interface Due {
  /** The times to fire, oldest first. */
  readonly fire: ReadonlyArray<number>
  /** The first and the last time that were missed and are not made up for. */
  readonly missed: readonly [first: number, last: number] | undefined
  readonly next: number
}

/**
 * Which of the times from `from` up to `now` fire. Those of the last minute always do; of earlier ones as many as are
 * made up for. However many were missed, it looks at the last ones only.
 */
export const dueTimes = (times: Times, from: number, now: number, catchUp: "none" | "last" | "all"): Due => {
  const most = catchUp === "all" ? mostCaughtUp : 1
  const early = Math.max(from, now - missedAfter)
  // One more than are needed: it is the last of those that were missed.
  let start = early
  for (let count = 0; count <= most && start > from; count++) start = Math.max(from, times.previous(start))
  const found: Array<number> = []
  const beginning = start === from ? times.previous(from) : start
  for (let at = times.next(beginning); at <= now; at = times.next(at)) if (at >= from) found.push(at)
  const recent = found.filter((at) => at >= early)
  const old = found.filter((at) => at < early)
  const caughtUp =
    catchUp === "none" ? [] : catchUp === "all" ? old.slice(-most) : recent.length > 0 ? [] : old.slice(-1)
  const fire = [...caughtUp, ...recent]
  const first = start === from ? (found[0] ?? now) : from
  const last = old.filter((at) => !caughtUp.includes(at)).at(-1) ?? (from < start ? start : undefined)
  const isMissed = first < (fire[0] ?? early) && last !== undefined
  return { fire, missed: isMissed ? [first, last] : undefined, next: times.next(now) }
}

/** How much later than its time a firing comes: the same share for the same time, whoever computes it. */
export const delayOf = (jitter: string | undefined, name: string, at: number): number =>
  jitter === undefined ? 0 : (Hash.string(`${name} ${at}`) >>> 0) % durationMillis(jitter)

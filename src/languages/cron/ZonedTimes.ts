import { Cron, DateTime, Option } from "effect"

/** The times of a cron expression, in epoch milliseconds. Both functions are strict: never the given time itself. */
export interface CronTimes {
  readonly next: (after: number) => number
  readonly previous: (before: number) => number
}

/** A change of the clocks: its instant, and how far the clocks are ahead of UTC before and after it. */
interface Change {
  readonly at: number
  readonly before: number
  readonly after: number
}

const day = 86_400_000

/** Longer than a zone is ahead of UTC and its longest change together: Samoa left out a day. */
const around = 2 * day

/** How far the clocks of a zone are ahead of UTC, in milliseconds. */
const offsetsOf = (zone: string): ((instant: number) => number) => {
  const timeZone = Option.getOrThrow(DateTime.zoneFromString(zone))
  if (zone === "UTC") return () => 0
  if (DateTime.isTimeZoneOffset(timeZone)) return () => timeZone.offset
  return (instant) => DateTime.zonedOffset(DateTime.makeZonedUnsafe(instant, { timeZone }))
}

/**
 * The times of an expression in a zone. Local times are searched for as if there were no zone, and then mapped to
 * instants: one that comes twice to the first, one that is left out to the one later by the length of the gap. So local
 * times that are left out mix with those behind the gap, and all of them are found.
 */
export const cronTimes = (cron: Cron.Cron, zone: string): CronTimes => {
  const offset = offsetsOf(zone)
  const local = Cron.make({ ...cron, tz: DateTime.zoneMakeOffset(0) })
  const localNext = (clock: number) => Cron.next(local, clock).getTime()
  const localPrevious = (clock: number) => Cron.prev(local, clock).getTime()

  /** The change between two instants, of which there is one at most. */
  const changeBetween = (from: number, to: number): Change | undefined => {
    const [before, after] = [offset(from), offset(to)]
    if (before === after) return undefined
    let [low, high] = [from, to]
    while (high - low > 1) {
      const middle = low + Math.floor((high - low) / 2)
      if (offset(middle) === before) low = middle
      else high = middle
    }
    return { at: high, before, after }
  }
  /** The change whose missing local times come at an instant, if it is so soon behind one. */
  const gapBefore = (instant: number): Change | undefined => {
    if (offset(instant) <= offset(instant - day)) return undefined
    const change = changeBetween(instant - day, instant)
    return change !== undefined && instant < change.at + change.after - change.before ? change : undefined
  }
  const instantOf = (clock: number): number => {
    const [before, after] = [offset(clock - around), offset(clock + around)]
    if (before === after || offset(clock - before) === before) return clock - before
    return offset(clock - after) === after ? clock - after : clock - before
  }
  /** The local time of an instant; where it comes the second time, the end of those that do. */
  const clockOf = (instant: number): number => {
    const clock = instant + offset(instant)
    const first = instantOf(clock)
    const change = first < instant ? changeBetween(first, instant) : undefined
    return change === undefined ? clock : change.at + change.before
  }

  return {
    next: (after) => {
      const start = clockOf(after)
      // Where local times come again, the end of them may be one itself.
      const clock = localNext(start === after + offset(after) ? start : start - 1)
      const found = [instantOf(clock)]
      const ahead = gapBefore(found[0]!)
      // The first local time is left out: those behind the gap may come before it.
      if (ahead !== undefined && clock < ahead.at + ahead.after) {
        found.push(instantOf(localNext(ahead.at + ahead.after - 1)))
      }
      const behind = gapBefore(after)
      const missing = behind === undefined ? undefined : localNext(after + behind.before)
      if (behind !== undefined && missing! < behind.at + behind.after) found.push(missing! - behind.before)
      return Math.min(...found)
    },
    previous: (before) => {
      const found = instantOf(localPrevious(clockOf(before)))
      const gap = gapBefore(found)
      if (gap === undefined) return found
      const missing = instantOf(localPrevious(Math.min(before + gap.before, gap.at + gap.after)))
      return found < before ? Math.max(found, missing) : missing
    }
  }
}

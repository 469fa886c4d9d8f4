/** How far a zone's clock is ahead of UTC at a time in epoch milliseconds, in minutes. */
export type ZoneOffset = (millis: number) => number

/** Longer than a zone is ahead of UTC and its longest change together: a day was left out in Samoa. */
export const around = 48 * 3_600_000

/** The times at which the clock of a zone shows a time: one, two when it was put back, none when it was put forward. */
export const instantsOf = (clock: number, offset: ZoneOffset): ReadonlyArray<number> => {
  const [before, after] = [offset(clock - around), offset(clock + around)]
  const known = before === after ? [before] : [before, after]
  if (known.length === 1) return [clock - before * 60_000]
  return known.map((minutes) => clock - minutes * 60_000).filter((time, at) => offset(time) === known[at])
}

/** When the clock was put forward over a time that it never shows. */
export const gapStart = (clock: number, offset: ZoneOffset): number => {
  const before = offset(clock - around)
  let [low, high] = [clock - around, clock + around]
  while (high - low > 1) {
    const middle = low + Math.floor((high - low) / 2)
    if (offset(middle) === before) low = middle
    else high = middle
  }
  return high
}

/** Maximum number of kept offsets. */
const mostKept = 4096

/**
 * The same clock, which is asked only once for each two days in which it is not changed: asking takes a microsecond, and
 * a histogram asks for the offset of each of its days.
 */
export const steady = (offset: ZoneOffset): ZoneOffset => {
  const kept = new Map<number, number>()
  const at = (days: number): number => {
    const known = kept.get(days)
    if (known !== undefined) return known
    const minutes = offset(days * around)
    if (kept.size === mostKept) kept.clear()
    kept.set(days, minutes)
    return minutes
  }
  return (millis) => {
    const days = Math.floor(millis / around)
    const minutes = at(days)
    return minutes === at(days + 1) ? minutes : offset(millis)
  }
}

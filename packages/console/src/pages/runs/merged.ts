interface Run {
  readonly id: string
  readonly createdAt: string
}

/** Whether the newest runs overlap those that were loaded before. If not, there may be others between them. */
export const reaches = (newest: ReadonlyArray<Run>, loaded: ReadonlyArray<Run>): boolean => {
  const known = new Set(newest.map(({ id }) => id))
  return loaded.some(({ id }) => known.has(id))
}

/** Puts the newest runs, which are polled, before those that were loaded earlier. Without an overlap the list restarts. */
export const merged = <A extends Run>(
  loaded: ReadonlyArray<A>,
  newest: ReadonlyArray<A>,
  isAll: boolean
): ReadonlyArray<A> => {
  const last = newest.at(-1)
  if (isAll || last === undefined || !reaches(newest, loaded)) return newest
  const known = new Set(newest.map(({ id }) => id))
  // A run as new as these that is not among them was deleted or no longer matches the filter.
  return [...newest, ...loaded.filter(({ id, createdAt }) => !known.has(id) && createdAt <= last.createdAt)]
}

interface Run {
  readonly id: string
  readonly createdAt: string
}

/** Whether the newest runs reach down to those that were loaded before: otherwise others may lie between. */
export const reaches = (newest: ReadonlyArray<Run>, loaded: ReadonlyArray<Run>): boolean => {
  const known = new Set(newest.map(({ id }) => id))
  return loaded.some(({ id }) => known.has(id))
}

/**
 * The newest runs, which are asked for again and again, put before those that were loaded before. Where they do not reach
 * down to these, the list begins anew.
 */
export const merged = <A extends Run>(
  loaded: ReadonlyArray<A>,
  newest: ReadonlyArray<A>,
  isAll: boolean
): ReadonlyArray<A> => {
  const last = newest.at(-1)
  if (isAll || last === undefined || !reaches(newest, loaded)) return newest
  const known = new Set(newest.map(({ id }) => id))
  // What is as new as these, and not among them, was deleted or does not fit the filter any more.
  return [...newest, ...loaded.filter(({ id, createdAt }) => !known.has(id) && createdAt <= last.createdAt)]
}

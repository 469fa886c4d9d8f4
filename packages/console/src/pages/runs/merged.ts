/** The newest runs, which are asked for again and again, put before those that were loaded before. */
export const merged = <A extends { readonly id: string; readonly createdAt: string }>(
  loaded: ReadonlyArray<A>,
  newest: ReadonlyArray<A>,
  isAll: boolean
): ReadonlyArray<A> => {
  const last = newest.at(-1)
  if (isAll || last === undefined) return newest
  const known = new Set(newest.map(({ id }) => id))
  // What is as new as these, and not among them, was deleted or does not fit the filter any more.
  return [...newest, ...loaded.filter(({ id, createdAt }) => !known.has(id) && createdAt <= last.createdAt)]
}

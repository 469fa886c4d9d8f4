const steps = (page: number): Readonly<Record<string, number>> => ({
  ArrowDown: 1,
  ArrowUp: -1,
  PageDown: page,
  PageUp: -page,
  Home: Number.NEGATIVE_INFINITY,
  End: Number.POSITIVE_INFINITY
})

/**
 * The row that a key moves to; undefined if it moves to none.
 *
 * @param row the present row; -1 before the first one
 * @param count number of rows
 * @param page rows that Page Up and Page Down move by
 */
export const rowAfter = (key: string, row: number, count: number, page: number): number | undefined => {
  const step = steps(page)[key]
  return step === undefined || count === 0 ? undefined : Math.max(0, Math.min(count - 1, row + step))
}

const steps = (page: number): Readonly<Record<string, number>> => ({
  ArrowDown: 1,
  ArrowUp: -1,
  PageDown: page,
  PageUp: -page,
  Home: Number.NEGATIVE_INFINITY,
  End: Number.POSITIVE_INFINITY
})

/**
 * The row that a key goes to; undefined when it goes to none.
 *
 * @param row from which it goes; -1 before the first one
 * @param count of rows
 * @param page rows that the keys of pages go
 */
export const rowAfter = (key: string, row: number, count: number, page: number): number | undefined => {
  const step = steps(page)[key]
  return step === undefined || count === 0 ? undefined : Math.max(0, Math.min(count - 1, row + step))
}

/**
 * The times that a plot shows, in seconds: at least one, as uPlot by itself shows almost three years of a single value.
 *
 * @param times of the values, in their order
 * @param covered seconds that the last value stands for
 */
export const plotSpan = (times: ArrayLike<number>, covered: number): [from: number, to: number] => {
  const from = times[0] ?? 0
  return [from, Math.max((times[times.length - 1] ?? 0) + covered, from + 1)]
}

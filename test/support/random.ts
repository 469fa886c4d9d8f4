/**
 * The seed of random choices. It is the same in each run, so that a suite that passed passes again. Set
 * `FLOW_TEST_SEED` to another number to try other choices.
 */
export const seed = Number(process.env["FLOW_TEST_SEED"] ?? 20_261_122)

/** Random choices that depend only on the seed. */
export const random = (start = seed) => {
  let state = start
  /** An integer from 0 up to, but not including, `limit`. (Mulberry32.) */
  const below = (limit: number): number => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit
  }
  const shuffled = <A>(all: ReadonlyArray<A>): ReadonlyArray<A> => {
    const left = [...all]
    return all.map(() => left.splice(below(left.length), 1)[0]!)
  }
  return { seed: start, below, shuffled }
}

import { randomInt } from "node:crypto"

/**
 * Choices that come out the same for the same seed: say it in what a failure prints, and set `FLOW_TEST_SEED` to have
 * them again.
 */
export const random = (seed = Number(process.env["FLOW_TEST_SEED"] ?? randomInt(2 ** 31))) => {
  let state = seed
  /** A whole number from 0 on that is less than `limit`. (Mulberry32.) */
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
  return { seed, below, shuffled }
}

/** Choices and how often each is taken, relative to the others. Weights are positive integers. */
export type Weighted<A> = ReadonlyArray<readonly [weight: number, value: A]>

/** A seeded source of choices: the same seed gives the same sequence on every machine, whatever the version of Node. */
export interface Random {
  /** A fraction in [0, 1). */
  readonly fraction: () => number
  /** A whole number in [from, to], both included. */
  readonly between: (from: number, to: number) => number
  /** One of the items, the first ones more often, as a few visitors make most of the requests. */
  readonly skewed: <A>(items: ReadonlyArray<A>) => A
  /** One of the items, each equally often. */
  readonly pick: <A>(items: ReadonlyArray<A>) => A
  readonly weighted: <A>(choices: Weighted<A>) => A
  /** True with the probability given. */
  readonly chance: (probability: number) => boolean
  /** Digits of the alphabet in a row. */
  readonly text: (alphabet: string, length: number) => string
}

/** Xorshift (Marsaglia 2003, shifts 13, 17, 5): whole numbers only, so no engine's rounding can change a sample. */
export const makeRandom = (seed: number): Random => {
  let state = seed >>> 0 || 1
  const fraction = () => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state >>> 0) / 2 ** 32
  }
  const at = <A>(items: ReadonlyArray<A>, position: number): A => {
    const item = items[Math.floor(position * items.length)]
    if (item === undefined) throw new RangeError("nothing to choose from")
    return item
  }
  const weighted = <A>(choices: Weighted<A>): A => {
    let left = fraction() * choices.reduce((sum, [weight]) => sum + weight, 0)
    for (const [weight, value] of choices) {
      left -= weight
      if (left < 0) return value
    }
    throw new RangeError("nothing to choose from")
  }
  return {
    fraction,
    between: (from, to) => from + Math.floor(fraction() * (to - from + 1)),
    skewed: (items) => at(items, fraction() * fraction()),
    pick: (items) => at(items, fraction()),
    weighted,
    chance: (probability) => fraction() < probability,
    text: (alphabet, length) => Array.from({ length }, () => at([...alphabet], fraction())).join("")
  }
}

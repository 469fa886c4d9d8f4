/** A matcher for one iteration of a loop, applied at a position of the line. */
export interface Iteration {
  readonly regex: RegExp
  readonly places: ReadonlyArray<number>
  readonly repair: (match: RegExpExecArray) => RegExpExecArray
}

export interface LoopWalker {
  /** Number of the group around the loop. */
  readonly span: number
  /** Captures that an iteration may leave unset. */
  readonly fragile: ReadonlyArray<number>
  /**
   * The matcher for the iteration after `done` iterations. It runs on the line up to the loop's end plus one character
   * if `more`, which word boundaries need. Undefined when the body refers to groups outside of it.
   */
  readonly iteration: (done: number, more: boolean) => Iteration | undefined
}

interface Latest {
  readonly text: string
  readonly range: [number, number]
}

/** The last value of each fragile capture in the loop's span; undefined when its iterations cannot be followed. */
const walk = (
  { fragile, iteration }: LoopWalker,
  line: string,
  start: number,
  end: number
): ReadonlyMap<number, Latest> | undefined => {
  const latest = new Map<number, Latest>()
  const more = end < line.length
  const upTo = line.slice(0, end + (more && line.codePointAt(end)! > 0xffff ? 2 : 1))
  let at = start
  for (let done = 0; at < end; done++) {
    const next = iteration(done, more)
    if (next === undefined) return undefined
    next.regex.lastIndex = at
    const raw = next.regex.exec(upTo)
    if (raw === null || raw[0] === "") return undefined
    const found = next.repair(raw)
    for (const index of fragile) {
      const number = next.places[index]!
      const text = found[number]
      if (text !== undefined) latest.set(index, { text, range: found.indices![number]! })
    }
    at += raw[0].length
  }
  return latest
}

/**
 * Repairs captures in loops. ECMAScript clears captures at each iteration of a quantifier, whereas Oniguruma keeps the
 * last value. For captures that the last iteration left unset, the loop is followed through its span, one iteration at
 * a time.
 */
export const repairer =
  (walkers: ReadonlyArray<LoopWalker>, places: ReadonlyArray<number>) =>
  (match: RegExpExecArray): RegExpExecArray => {
    for (const walker of walkers) {
      const range = match.indices![walker.span]
      if (range === undefined || walker.fragile.every((index) => match[places[index]!] !== undefined)) continue
      const latest = walk(walker, match.input, range[0], range[1])
      if (latest === undefined) continue
      for (const [index, { text, range: place }] of latest) {
        const number = places[index]!
        if (match[number] !== undefined) continue
        match[number] = text
        match.indices![number] = place
      }
    }
    return match
  }

import { isAscii } from "./Ascii.ts"
import { type Iteration, type LoopWalker, repairer } from "./Loops.ts"
import { type Loop, type Printed, print } from "./Print.ts"
import type { Node } from "./Syntax.ts"
import { needsUnicode, spellOutShorthands, translate } from "./Translate.ts"

/** A compiled tree. `numbers[i]` is the place of capture i in the match that `exec` returns. */
export interface Matcher {
  readonly exec: (line: string) => RegExpExecArray | null
  readonly numbers: ReadonlyArray<number>
  /** A match takes ASCII characters only: when it takes all of the line, the line is ASCII text. */
  readonly narrow: boolean
}

export interface Tree {
  readonly root: Node
  readonly names: ReadonlyMap<string, ReadonlyArray<number>>
  readonly captureCount: number
}

export interface MatcherOptions {
  readonly dotall: boolean
  /** Text of the lines: `ascii` twice as quick, `unicode` exact for everything. */
  readonly text: "ascii" | "unicode"
  /** Fill `indices` of the match. */
  readonly indices: boolean
}

const compile = (printed: Printed, tree: Tree, options: MatcherOptions, sticky: boolean) => {
  const flags = (options.dotall ? "m" : "") + (options.text === "ascii" ? "DSW" : "")
  const source = options.text === "ascii" ? printed.source : spellOutShorthands(printed.source)
  const indices = options.indices || printed.loops.length > 0 ? "d" : ""
  const { regex, numbers, narrow } = translate(source, flags, indices + (sticky ? "y" : ""))
  const places = Array.from({ length: tree.captureCount }, (_, index) => numbers.get(`g${index}`) ?? -1)
  const walkers = printed.loops.map((loop, index): LoopWalker => {
    const span = numbers.get(`l${index}`) ?? -1
    return { span, fragile: loop.fragile, iteration: iterations(loop, tree, options) }
  })
  return { regex, places, narrow, repair: walkers.length === 0 ? same : repairer(walkers, places) }
}

const same = (match: RegExpExecArray): RegExpExecArray => match

/** Largest count of a repetition that is followed number by number. */
const maxCounted = 64

/** Makes the matcher of a loop's n-th iteration: the body at one place, the rest of the loop tiling what is left. */
const iterations = (loop: Loop, tree: Tree, options: MatcherOptions): LoopWalker["iteration"] => {
  const active = /^\(\?([imx]*)/.exec(loop.options)?.[1] ?? ""
  const known = new Map<string, Iteration | undefined>()
  return (done, more) => {
    const min = Math.max(0, loop.min - done - 1)
    const max = loop.max > maxCounted ? Number.POSITIVE_INFINITY : loop.max - done - 1
    const count = `{${min},${max === Number.POSITIVE_INFINITY ? "" : max}}`
    const key = count + more
    if (known.has(key)) return known.get(key)
    let made: Iteration | undefined
    try {
      const body = print(loop.body, tree.names, active)
      const rest =
        max === 0 ? "" : `(?:${print(loop.body, tree.names, active, false).source})${count}${loop.lazy ? "?" : ""}`
      const source = `${loop.options}${body.source}(?=${rest}${more ? "(?m:.)" : ""}\\z))`
      const { regex, places, repair } = compile({ ...body, source }, tree, { ...options, indices: true }, true)
      made = { regex, places, repair }
    } catch {
      // A body that cannot stand alone (it refers to groups outside) keeps ECMAScript's captures.
    }
    known.set(key, made)
    return made
  }
}

/** Compiles an expanded tree. Throws an Error with the translator's words when the regular expression is bad. */
export const matcher = (tree: Tree, options: MatcherOptions): Matcher => {
  const printed = print(tree.root, tree.names)
  const { regex, places, narrow, repair } = compile(printed, tree, options, false)
  const exec =
    printed.loops.length === 0
      ? (line: string) => regex.exec(line)
      : (line: string) => {
          const match = regex.exec(line)
          return match === null ? null : repair(match)
        }
  return { exec, numbers: places, narrow }
}

/** A tree's matchers, each compiled on first use, with `finish` done to them. */
export interface Matchers<A> {
  /** For ASCII text. */
  readonly ascii: () => A
  /** For any text. */
  readonly unicode: () => A
  /** The one that is exact for the line and not slower than the other. */
  readonly of: (line: string) => A
  /** Both match alike, but for their speed. */
  readonly same: boolean
}

export const matchers = <A>(
  tree: Tree,
  dotall: boolean,
  indices: boolean,
  finish: (matcher: Matcher) => A
): Matchers<A> => {
  const same = !needsUnicode(print(tree.root, tree.names).source)
  const lazy = (text: MatcherOptions["text"]) => {
    let made: A | undefined
    return (): A => {
      if (made === undefined) made = finish(matcher(tree, { dotall, indices, text }))
      return made
    }
  }
  const ascii = lazy("ascii")
  const unicode = lazy("unicode")
  return { ascii, unicode, same, of: (line) => (!same && isAscii(line) ? ascii() : unicode()) }
}

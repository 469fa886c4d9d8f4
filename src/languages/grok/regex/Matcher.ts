import type { Node } from "../syntax/Syntax.ts"
import { isAscii } from "./Ascii.ts"
import { type Iteration, type LoopWalker, repairer } from "./Loops.ts"
import { type Loop, type Printed, print } from "./Print.ts"
import { needsUnicode, spellOutShorthands, translate } from "./Translate.ts"

/** A compiled tree. `numbers[i]` is the group number of capture i in the match of `exec`. */
export interface Matcher {
  readonly exec: (line: string) => RegExpExecArray | null
  readonly numbers: ReadonlyArray<number>
  /** Whether a match contains only ASCII characters. If it covers the whole line, the line is ASCII. */
  readonly narrow: boolean
}

export interface Tree {
  readonly root: Node
  readonly names: ReadonlyMap<string, ReadonlyArray<number>>
  readonly captureCount: number
}

export interface MatcherOptions {
  readonly dotall: boolean
  /** The kind of text: `ascii` is twice as fast, `unicode` is exact for any text. */
  readonly text: "ascii" | "unicode"
  /** Whether to fill the `indices` of the match. */
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

/** Maximum count of a repetition that is unrolled. */
const maxCounted = 64

/**
 * Makes the matcher for the n-th iteration of a loop: the body at one position, with the remaining iterations covering
 * the rest.
 */
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
      // A body that refers to groups outside of it keeps ECMAScript's captures.
    }
    known.set(key, made)
    return made
  }
}

/** Compiles an expanded tree. Throws an Error with the translator's message when the regular expression is invalid. */
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

/**
 * Makes the function that tells where a match that begins at an index ends; undefined when there is none. It has no
 * captures, so it throws for a tree with references to groups.
 */
export const endFinder = (
  tree: Tree,
  options: MatcherOptions
): ((line: string, from: number) => number | undefined) => {
  const { regex } = compile(print(tree.root, tree.names, "", false), { ...tree, captureCount: 0 }, options, true)
  return (line, from) => {
    regex.lastIndex = from
    const match = regex.exec(line)
    return match === null ? undefined : from + match[0].length
  }
}

/** The matchers of a tree. Each is compiled on first use and passed through `finish`. */
interface Matchers<A> {
  /** For ASCII text. */
  readonly ascii: () => A
  /** For any text. */
  readonly unicode: () => A
  /** The fastest matcher that is exact for the line. */
  readonly of: (line: string) => A
  /** Whether both matchers give the same result for every text. */
  readonly same: boolean
}

export const matchers = <A>(
  tree: Tree,
  dotall: boolean,
  indices: boolean,
  finish: (matcher: Matcher) => A
): Matchers<A> => {
  const same = !needsUnicode(print(tree.root, tree.names).source)
  const lazy = (make: () => Matcher) => {
    let made: A | undefined
    return (): A => {
      made ??= finish(make())
      return made
    }
  }
  const ascii = lazy(() => matcher(tree, { dotall, indices, text: "ascii" }))
  const unicode = lazy(() => {
    try {
      const made = matcher(tree, { dotall, indices, text: "unicode" })
      // V8 compiles now. If other than ASCII text is rare, this may be long after the expression was accepted.
      made.exec("")
      return made
    } catch (error) {
      if (same) throw error
      // The form for any text is larger. Where it is too large for V8, its lines fail, and not all that read them.
      return { exec: () => null, numbers: new Array<number>(tree.captureCount).fill(-1), narrow: false }
    }
  })
  return { ascii, unicode, same, of: (line) => (!same && isAscii(line) ? ascii() : unicode()) }
}

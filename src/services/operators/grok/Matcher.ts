import { isAscii } from "../Ascii.ts"
import { type Loop, type Printed, print } from "./Print.ts"
import type { Node } from "./Syntax.ts"
import { needsUnicode, spellOutWords, translate } from "./Translate.ts"

/** A compiled tree. `numbers[i]` is the place of capture i in the match that `exec` returns. */
export interface Matcher {
  readonly exec: (line: string) => RegExpExecArray | null
  readonly numbers: ReadonlyArray<number>
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

interface Walker {
  readonly span: number
  readonly fragile: ReadonlyArray<number>
  readonly body: RegExp
  readonly repair: (match: RegExpExecArray) => RegExpExecArray
  readonly numbers: ReadonlyArray<number>
}

const compile = (printed: Printed, tree: Tree, options: MatcherOptions, sticky: boolean) => {
  const flags = (options.dotall ? "m" : "") + (options.text === "ascii" ? "DSW" : "DS")
  const source = options.text === "ascii" ? printed.source : spellOutWords(printed.source)
  const indices = options.indices || printed.loops.length > 0 ? "d" : ""
  const { regex, numbers } = translate(source, flags, indices + (sticky ? "y" : ""))
  const places = Array.from({ length: tree.captureCount }, (_, index) => numbers.get(`g${index}`) ?? -1)
  const walkers = printed.loops.flatMap((loop, index) => walker(loop, numbers.get(`l${index}`) ?? -1, tree, options))
  return { regex, places, repair: repairer(walkers, places) }
}

const walker = (loop: Loop, span: number, tree: Tree, options: MatcherOptions): ReadonlyArray<Walker> => {
  try {
    const inner = print(loop.body, tree.names, [...loop.options.matchAll(/^\(\?([imx]*)/g)][0]?.[1] ?? "")
    const wrapped = { source: `${loop.options}${inner.source})`, loops: inner.loops }
    const body = compile(wrapped, tree, { ...options, indices: true }, true)
    return [{ span, fragile: loop.fragile, body: body.regex, repair: body.repair, numbers: body.places }]
  } catch {
    // A body that cannot stand alone (it refers to groups outside) keeps ECMAScript's captures.
    return []
  }
}

/**
 * ECMAScript clears captures at each iteration of a quantifier, Oniguruma keeps the last value. What the last iteration
 * left unset is looked up by walking the loop's span with its body, provided the iterations tile the span.
 */
const repairer = (walkers: ReadonlyArray<Walker>, places: ReadonlyArray<number>) => {
  if (walkers.length === 0) return (match: RegExpExecArray) => match
  return (match: RegExpExecArray): RegExpExecArray => {
    for (const { span, fragile, body, repair, numbers } of walkers) {
      const range = match.indices![span]
      if (range === undefined || fragile.every((index) => match[places[index]!] !== undefined)) continue
      const latest = new Map<number, { readonly text: string; readonly range: [number, number] }>()
      let at = range[0]
      while (at < range[1]) {
        body.lastIndex = at
        const found = body.exec(match.input)
        if (found === null || found[0] === "" || at + found[0].length > range[1]) break
        const iteration = repair(found)
        for (const index of fragile) {
          const text = iteration[numbers[index]!]
          if (text !== undefined) latest.set(index, { text, range: iteration.indices![numbers[index]!]! })
        }
        at += found[0].length
      }
      if (at !== range[1]) continue
      for (const [index, { text, range: place }] of latest) {
        const number = places[index]!
        if (match[number] !== undefined) continue
        match[number] = text
        match.indices![number] = place
      }
    }
    return match
  }
}

/** Compiles an expanded tree. Throws an Error with the translator's words when the regular expression is bad. */
export const matcher = (tree: Tree, options: MatcherOptions): Matcher => {
  const printed = print(tree.root, tree.names)
  const { regex, places, repair } = compile(printed, tree, options, false)
  const exec =
    printed.loops.length === 0
      ? (line: string) => regex.exec(line)
      : (line: string) => {
          const match = regex.exec(line)
          return match === null ? null : repair(match)
        }
  return { exec, numbers: places }
}

/** A tree's matcher for any line: picks the recipe by the line's text and compiles each on first use. */
export const lazyMatcher = (tree: Tree, dotall: boolean, indices: boolean) => {
  const same = !needsUnicode(print(tree.root, tree.names).source)
  let ascii: Matcher | undefined
  let unicode: Matcher | undefined
  return (line: string): Matcher => {
    if (same || isAscii(line)) {
      if (ascii === undefined) ascii = matcher(tree, { dotall, indices, text: "ascii" })
      return ascii
    }
    if (unicode === undefined) unicode = matcher(tree, { dotall, indices, text: "unicode" })
    return unicode
  }
}

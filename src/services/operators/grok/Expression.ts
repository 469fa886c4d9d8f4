import type { ConversionFailure } from "../Coercion.ts"
import type { Definition } from "../Definitions.ts"
import type { Fields } from "../FieldPath.ts"
import { blame } from "./Blame.ts"
import type { Capture } from "./Capture.ts"
import { expand, type Origin } from "./Expand.ts"
import { walkingBuilder } from "./Fields.ts"
import { generatedBuilder } from "./GeneratedFields.ts"
import { type Leaf, leaves } from "./Leaf.ts"
import { requiredText } from "./Literal.ts"
import { lazyMatcher, type Matcher, type Tree } from "./Matcher.ts"

export interface ExpressionSettings {
  readonly lookup: (name: string) => Definition | undefined
  /** What the lookup does not know of, for messages. */
  readonly leftOut?: ReadonlyArray<string>
  readonly namedCapturesOnly: boolean
  readonly keepEmptyCaptures: boolean
  readonly dotall: boolean
}

export interface GrokMatch {
  /** Which pattern matched, from 1. */
  readonly pattern: number
  readonly fields: Fields
  /** Captures that could not be converted; their fields hold the text. */
  readonly failures: ReadonlyArray<ConversionFailure>
}

/** One compiled grok pattern. */
export interface Expression {
  readonly text: string
  readonly tree: Tree
  readonly captures: ReadonlyArray<Capture>
  readonly leaves: ReadonlyArray<Leaf>
  readonly hints: ReadonlyArray<string>
  readonly match: (line: string) => GrokMatch | undefined
  /** The match of lines that are ASCII text, or of those that are not. */
  readonly matchOf: (ascii: boolean) => (line: string) => GrokMatch | undefined
  /** The raw match, with `indices` on request, and the place of each capture in it. */
  readonly exec: (
    line: string,
    indices: boolean
  ) => { readonly match: RegExpExecArray; readonly numbers: ReadonlyArray<number> } | undefined
}

/** Lines that match in a row until a line that does not is unexpected again. */
const wariness = 16

const noFailures: ReadonlyArray<ConversionFailure> = Object.freeze([])

/** Compiles pattern number `pattern`. Throws PatternError. */
export const expression = (text: string, pattern: number, settings: ExpressionSettings): Expression => {
  const { keepEmptyCaptures, dotall } = settings
  const origin: Origin = { part: "pattern", text, line: 1, column: 1, pattern }
  const expanded = expand(origin, settings.lookup, settings.namedCapturesOnly, settings.leftOut)
  const { tree: root, captures, names, hints } = expanded
  const tree: Tree = { root, names, captureCount: captures.length }
  const all = leaves(captures)
  // Most matches convert without failure: one list serves them all.
  const scratch: Array<ConversionFailure> = []
  const required = requiredText(root)
  const withBuilder = (matcher: Matcher) => {
    const { exec, numbers } = matcher
    const given = [all, keepEmptyCaptures, numbers] as const
    const build = generatedBuilder(...given) ?? walkingBuilder(...given)
    // Looking for the text costs a tenth of a match: it is done while lines that do not match are about.
    let wary = 0
    const match = (line: string): GrokMatch | undefined => {
      if (wary > 0 && required !== undefined && !line.includes(required)) {
        wary = wariness
        return undefined
      }
      const found = exec(line)
      if (found === null) {
        wary = wariness
        return undefined
      }
      if (wary > 0) wary--
      if (scratch.length > 0) scratch.length = 0
      const fields = build(found, scratch)
      return { pattern, fields, failures: scratch.length === 0 ? noFailures : [...scratch] }
    }
    return { exec, numbers, match }
  }
  const matcherFor = lazyMatcher(tree, dotall, false, withBuilder)
  const indexedFor = lazyMatcher(tree, dotall, true, (matcher) => matcher)
  try {
    // V8 compiles on first use: done here, the first line is not charged for it.
    matcherFor("").exec("")
  } catch (error) {
    throw blame(tree, origin, dotall, error as Error)
  }
  return {
    text,
    tree,
    captures,
    leaves: all,
    hints,
    match: (line) => matcherFor(line).match(line),
    matchOf: (ascii) => matcherFor("", ascii).match,
    exec: (line, indices) => {
      const { exec, numbers } = (indices ? indexedFor : matcherFor)(line)
      const match = exec(line)
      return match === null ? undefined : { match, numbers }
    }
  }
}

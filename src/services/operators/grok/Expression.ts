import type { ConversionFailure } from "../Coercion.ts"
import type { Definition } from "../Definitions.ts"
import type { Fields } from "../FieldPath.ts"
import { blame } from "./Blame.ts"
import type { Capture } from "./Capture.ts"
import { expand, type Origin } from "./Expand.ts"
import { walkingBuilder } from "./Fields.ts"
import { generatedBuilder } from "./GeneratedFields.ts"
import { type Leaf, leaves } from "./Leaf.ts"
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
  /** The raw match, with `indices` on request, and the place of each capture in it. */
  readonly exec: (
    line: string,
    indices: boolean
  ) => { readonly match: RegExpExecArray; readonly numbers: ReadonlyArray<number> } | undefined
}

const noFailures: ReadonlyArray<ConversionFailure> = Object.freeze([])

/** Compiles pattern number `pattern`. Throws PatternError. */
export const expression = (text: string, pattern: number, settings: ExpressionSettings): Expression => {
  const origin: Origin = { part: "pattern", text, line: 1, column: 1, pattern }
  const {
    tree: root,
    captures,
    names,
    hints
  } = expand(origin, settings.lookup, settings.namedCapturesOnly, settings.leftOut)
  const tree: Tree = { root, names, captureCount: captures.length }
  const all = leaves(captures)
  const withBuilder = (matcher: Matcher) => {
    const { exec, numbers } = matcher
    const given = [all, settings.keepEmptyCaptures, numbers] as const
    return { exec, numbers, build: generatedBuilder(...given) ?? walkingBuilder(...given) }
  }
  const matcherFor = lazyMatcher(tree, settings.dotall, false, withBuilder)
  const indexedFor = lazyMatcher(tree, settings.dotall, true, (matcher) => matcher)
  try {
    // V8 compiles on first use: done here, the first line is not charged for it.
    matcherFor("").exec("")
  } catch (error) {
    throw blame(tree, origin, settings.dotall, error as Error)
  }
  // Most matches convert without failure: one list serves them all.
  const scratch: Array<ConversionFailure> = []
  return {
    text,
    tree,
    captures,
    leaves: all,
    hints,
    match: (line) => {
      const { exec, build } = matcherFor(line)
      const match = exec(line)
      if (match === null) return undefined
      if (scratch.length > 0) scratch.length = 0
      const fields = build(match, scratch)
      return { pattern, fields, failures: scratch.length === 0 ? noFailures : [...scratch] }
    },
    exec: (line, indices) => {
      const { exec, numbers } = (indices ? indexedFor : matcherFor)(line)
      const match = exec(line)
      return match === null ? undefined : { match, numbers }
    }
  }
}

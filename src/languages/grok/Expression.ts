import type { PatternError } from "../PatternError.ts"
import { capturesOf } from "./fields/CaptureAnalysis.ts"
import { type Leaf, leaves } from "./fields/Leaf.ts"
import { type LineMatcher, lineMatcher } from "./fields/LineMatch.ts"
import type { LineMatch } from "./fields/Recipe.ts"
import { matcher, matchers, type Tree } from "./regex/Matcher.ts"
import { requiredText } from "./regex/RequiredText.ts"
import type { Capture } from "./syntax/Capture.ts"
import { type ExpandedGroup, expand, faultAt, type Origin, type Reading, type Vocabulary } from "./syntax/Expand.ts"
import { childrenOf } from "./syntax/Syntax.ts"

/** Finds the smallest part of a bad expression that is bad by itself, including inside definitions. */
const blame = (tree: Tree, origin: Origin, dotall: boolean, error: Error): PatternError => {
  let node = tree.root
  let from = origin
  let detail = error.message
  for (;;) {
    const culprit = childrenOf(node).find((child) => {
      try {
        matcher({ ...tree, root: child }, { dotall, indices: false, text: "ascii" })
        return false
      } catch (fault) {
        detail = (fault as Error).message
        return true
      }
    })
    if (culprit === undefined) break
    from = (node as ExpandedGroup).origin ?? from
    node = culprit
  }
  return faultAt(from, {
    message: `bad regular expression: ${detail.split("\n")[0]}`,
    start: node.start,
    end: node.end
  })
}

export interface ExpressionSettings extends Reading {
  readonly vocabulary: Vocabulary
  readonly keepEmptyCaptures: boolean
  readonly dotall: boolean
}

/** A compiled grok pattern. */
export interface Expression {
  readonly text: string
  readonly tree: Tree
  readonly captures: ReadonlyArray<Capture>
  readonly leaves: ReadonlyArray<Leaf>
  readonly hints: ReadonlyArray<string>
  readonly match: LineMatch
  /** The matcher for ASCII text. */
  readonly ascii: () => LineMatcher
  /** The matcher for any text. */
  readonly unicode: () => LineMatcher
  /** Whether both matchers give the same result for every text. */
  readonly same: boolean
  /** The raw match, on request with `indices`, and the group number of each capture. */
  readonly exec: (
    line: string,
    indices: boolean
  ) => { readonly match: RegExpExecArray; readonly numbers: ReadonlyArray<number> } | undefined
}

/** Compiles pattern number `pattern`. Throws PatternError. */
export const expression = (text: string, pattern: number, settings: ExpressionSettings): Expression => {
  const { keepEmptyCaptures, dotall } = settings
  const origin: Origin = { part: "pattern", text, line: 1, column: 1, pattern }
  const expanded = expand(origin, settings.vocabulary, settings)
  const { tree: root, captures, names, hints } = expanded
  const tree: Tree = { root, names, captureCount: captures.length }
  const all = leaves(captures)
  const shared = { pattern, leaves: all, known: capturesOf(root), keepEmpty: keepEmptyCaptures }
  const required = requiredText(root)
  const plain = matchers(tree, dotall, false, (one) => ({
    ...one,
    lines: lineMatcher({ ...one, ...shared, required })
  }))
  const indexed = matchers(tree, dotall, true, (one) => one)
  try {
    // V8 compiles on first use. Doing it here keeps that time from being charged to the first line.
    plain.of("").exec("")
  } catch (error) {
    throw blame(tree, origin, dotall, error as Error)
  }
  return {
    text,
    tree,
    captures,
    leaves: all,
    hints,
    match: (line) => plain.of(line).lines.match()(line),
    ascii: () => plain.ascii().lines,
    unicode: () => plain.unicode().lines,
    same: plain.same,
    exec: (line, indices) => {
      const { exec, numbers } = (indices ? indexed : plain).of(line)
      const match = exec(line)
      return match === null ? undefined : { match, numbers }
    }
  }
}

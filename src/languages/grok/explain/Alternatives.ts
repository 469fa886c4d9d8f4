import { endFinder, type MatcherOptions, type Tree } from "../regex/Matcher.ts"
import type { Choice, Node } from "../syntax/Syntax.ts"
import { partsOf, sequenceOf } from "./Parts.ts"

/** Maximum number of alternatives that are compared, and of parts of each: every one is compiled. */
const maxAlternatives = 100
const maxParts = 60

/** An expression that matches as many of the parts as follow one another, possibly none. */
const asFarAsPossible = (parts: ReadonlyArray<Node>): Node =>
  parts.slice(0, maxParts).reduceRight<Node>(
    (rest, part) => ({
      kind: "repeat",
      node: { kind: "group", open: "(?:", body: sequenceOf([part, rest]), start: 0, end: 0 },
      quantifier: "?",
      min: 0,
      max: 1,
      start: 0,
      end: 0
    }),
    sequenceOf([])
  )

/** Tells how far an alternative gets in a line from an index on. */
type Reach = (line: string, from: number) => number

/** Makes the function that finds the alternative that gets furthest; undefined when none gets anywhere. */
export const furthest = (
  tree: Tree,
  { branches }: Choice,
  marks: ReadonlyArray<Node>,
  options: MatcherOptions
): ((line: string, from: number) => number | undefined) => {
  const reaches = branches.slice(0, maxAlternatives).map((branch): Reach => {
    try {
      const find = endFinder({ ...tree, root: sequenceOf([...marks, asFarAsPossible(partsOf(branch))]) }, options)
      return (line, from) => find(line, from) ?? from
    } catch {
      // It refers to a group outside of it.
      return (_, from) => from
    }
  })
  return (line, from) => {
    let best: number | undefined
    let reached = from
    reaches.forEach((reach, index) => {
      const end = reach(line, from)
      if (end > reached) [best, reached] = [index, end]
    })
    return best
  }
}

import { isAscii } from "../regex/Ascii.ts"
import { type Matcher, type MatcherOptions, matcher, type Tree } from "../regex/Matcher.ts"
import type { Choice, Node } from "../syntax/Syntax.ts"
import { furthest } from "./Alternatives.ts"
import { greedy, itemsOf, opened, partsOf, sequenceOf } from "./Parts.ts"

/** How far a pattern matched in a line that it does not match. */
export interface Progress {
  /** The end of the longest text that a prefix of the pattern matches. */
  readonly matchedUpTo: number
  /** The first sub-pattern after that prefix, as written. */
  readonly failedAt: string
  /** The references around the sub-pattern, outermost first. */
  readonly inside: ReadonlyArray<string>
  /** The number of parts of the pattern that matched. */
  readonly parts: number
  /** The number of alternatives of which the sub-pattern got furthest. */
  readonly alternatives?: number
  /** The number of alternatives when the sub-pattern is all of them, because none matched anything. */
  readonly none?: number
}

const textOf = (node: Node, source: string): string => source.slice(node.start, node.end)

/** The literal run around item `index`, or the item itself. */
const failing = (items: ReadonlyArray<Node>, index: number, source: string): string => {
  let from = index
  let to = index
  const literal = (item: Node | undefined) => item?.kind === "atom"
  if (literal(items[index])) {
    while (literal(items[from - 1])) from--
    while (literal(items[to + 1])) to++
  }
  return source.slice(items[from]!.start, items[to]!.end)
}

const lineStart: Node = { kind: "atom", text: "\\A", start: 0, end: 0 }

/** An attempt from the start of the line counts when it matched this many parts. */
const leastParts = 2

/**
 * Finds how far an expression matches a line by matching prefixes of the expression. Prefixes are compiled on demand
 * and cached. When a prefix matches, all shorter ones do, so a binary search finds the longest. Of the attempts that an
 * unanchored expression makes, the one at the start of the line is reported: most expressions describe whole lines. If
 * it hardly matches anything, or another one gets more than twice as far, it is the one that gets furthest.
 */
export const progressOf = (tree: Tree, text: string, dotall: boolean): ((line: string) => Progress) => {
  const compiled = new Map<string, Matcher | undefined>()
  const finders = new Map<string, ReturnType<typeof furthest>>()
  const root = greedy(tree.root)
  const total = partsOf(root).length
  const anchored = isAnchored(root)

  const prefix = (key: string, nodes: ReadonlyArray<Node>, options: MatcherOptions): Matcher | undefined => {
    if (compiled.has(key)) return compiled.get(key)
    let made: Matcher | undefined
    try {
      const found = matcher({ ...tree, root: sequenceOf(nodes) }, options)
      found.exec("")
      made = found
    } catch {
      // A prefix may refer to a later group, or be too large, and then does not compile; the next shorter one is used.
    }
    compiled.set(key, made)
    return made
  }

  const attempt = (line: string, before: ReadonlyArray<Node>): Progress => {
    const kind = isAscii(line) ? "ascii" : "unicode"
    const options: MatcherOptions = { dotall, indices: false, text: kind }
    const endOf = (key: string, nodes: ReadonlyArray<Node>): number => {
      const match = prefix(key, nodes, options)?.exec(line)
      return match === null || match === undefined ? -1 : match.index + match[0].length
    }

    /** The index of the alternative that gets furthest from where the nodes before it end. */
    const alternative = (before: ReadonlyArray<Node>, choice: Choice, key: string, from: number) => {
      const marks = before.filter(({ kind }) => kind === "mark")
      const known = finders.get(key) ?? furthest(tree, choice, marks, options)
      finders.set(key, known)
      return known(line, from)
    }

    const descend = (
      before: ReadonlyArray<Node>,
      items: ReadonlyArray<Node>,
      source: string,
      key: string,
      start: number
    ): Progress => {
      let low = 0
      let high = items.length
      let matchedUpTo = start
      while (high - low > 1) {
        const middle = (low + high) >> 1
        const end = endOf(`${key}/${middle}`, [...before, ...items.slice(0, middle)])
        if (end < 0) high = middle
        else {
          low = middle
          matchedUpTo = end
        }
      }
      const item = items[low]
      const parts = partsOf(sequenceOf(items.slice(0, low))).length
      // An empty alternative always matches.
      if (item === undefined) return { matchedUpTo, failedAt: "", inside: [], parts }
      const here: Progress = { matchedUpTo, failedAt: failing(items, low, source), inside: [], parts }
      const group = opened(item)
      const body = group?.body ?? item
      const found = {
        before: [...before, ...items.slice(0, low)],
        key: `${key}/${low}`,
        source: group?.origin?.text ?? source
      }
      const inner =
        body.kind === "choice"
          ? choose(body, found, matchedUpTo)
          : group && descend(found.before, itemsOf(body), found.source, found.key, matchedUpTo)
      if (inner === undefined || inner.matchedUpTo <= matchedUpTo) {
        return body.kind === "choice" && group?.reference === undefined ? { ...here, none: body.branches.length } : here
      }
      const inside = group?.reference === undefined ? inner.inside : [textOf(item, source), ...inner.inside]
      return { ...inner, inside, parts: parts + inner.parts }
    }

    const choose = (
      choice: Choice,
      { before, key, source }: { before: ReadonlyArray<Node>; key: string; source: string },
      from: number
    ): Progress | undefined => {
      const best = alternative(before, choice, key, from)
      if (best === undefined) return undefined
      const inner = descend(before, itemsOf(choice.branches[best]!), source, `${key}|${best}`, from)
      return { alternatives: choice.branches.length, ...inner }
    }
    return descend(before, itemsOf(root), text, `${kind}${before.length}`, 0)
  }

  return (line) => {
    if (anchored) return attempt(line, [])
    const first = attempt(line, [lineStart])
    if (first.parts >= leastParts && first.parts * 2 >= total) return first
    const best = attempt(line, [])
    return first.parts >= leastParts && first.parts * 2 >= best.parts ? first : best
  }
}

/** True when the pattern can only match at the start of a line or of the text. */
export const isAnchored = (node: Node): boolean => {
  if (node.kind === "atom") return node.text === "^" || node.text === "\\A" || node.text === "\\G"
  if (node.kind === "choice") return node.branches.every(isAnchored)
  if (node.kind === "sequence") {
    const first = node.items.find(({ kind }) => kind !== "mark")
    return first !== undefined && isAnchored(first)
  }
  return node.kind === "group" && /^\((?:\?[:>])?$/.test(node.open) && isAnchored(node.body)
}

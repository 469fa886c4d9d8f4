import { isAscii } from "./Ascii.ts"
import type { ExpandedGroup } from "./Expand.ts"
import { type Matcher, matcher, type Tree } from "./Matcher.ts"
import type { Node } from "./Syntax.ts"

/** How far a pattern matched in a line that it does not match. */
export interface Progress {
  /** The end of the match of the longest matching prefix of the pattern. */
  readonly matchedUpTo: number
  /** The first sub-pattern after that prefix, as written. */
  readonly failedAt: string
  /** The references around the sub-pattern, outermost first. */
  readonly inside: ReadonlyArray<string>
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

const open = (node: Node): ExpandedGroup | undefined => {
  const group = node as ExpandedGroup
  return node.kind === "group" && (group.open === "(?:" || group.open === "(") ? group : undefined
}

const itemsOf = (node: Node): ReadonlyArray<Node> => (node.kind === "sequence" ? node.items : [node])

/**
 * Finds how far an expression matches a line by matching prefixes of the expression. Prefixes are compiled on demand
 * and cached. When a prefix matches, all shorter ones do, so a binary search finds the longest.
 */
export const progressOf = (tree: Tree, text: string, dotall: boolean): ((line: string) => Progress) => {
  const compiled = new Map<string, Matcher | undefined>()

  const prefix = (key: string, nodes: ReadonlyArray<Node>): Matcher | undefined => {
    if (compiled.has(key)) return compiled.get(key)
    let made: Matcher | undefined
    try {
      const root: Node = { kind: "sequence", items: nodes, start: 0, end: 0 }
      made = matcher({ ...tree, root }, { dotall, indices: false, text: key.startsWith("a") ? "ascii" : "unicode" })
    } catch {
      // A prefix may refer to a later group and then does not compile; the next shorter one is used.
    }
    compiled.set(key, made)
    return made
  }

  return (line) => {
    const recipe = isAscii(line) ? "a" : "u"
    const endOf = (key: string, nodes: ReadonlyArray<Node>): number => {
      const match = prefix(recipe + key, nodes)?.exec(line)
      return match === null || match === undefined ? -1 : match.index + match[0].length
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
      const item = items[low]!
      const here = { matchedUpTo, failedAt: failing(items, low, source), inside: [] }
      const group = open(item)
      if (group === undefined) return here
      const inner = descend(
        [...before, ...items.slice(0, low)],
        itemsOf(group.body),
        group.origin?.text ?? source,
        `${key}/${low}`,
        matchedUpTo
      )
      if (inner.matchedUpTo <= matchedUpTo) return here
      return {
        ...inner,
        inside: group.reference === undefined ? inner.inside : [textOf(item, source), ...inner.inside]
      }
    }
    return descend([], itemsOf(tree.root), text, "", 0)
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
  const group = open(node)
  return group !== undefined && isAnchored(group.body)
}

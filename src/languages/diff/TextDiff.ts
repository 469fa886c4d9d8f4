/** Insertions and deletions up to which the shortest script is sought. Its cost grows with their square. */
const mostEdits = 1000

/** Unchanged lines around a change. */
const context = 3

/** Lines from `a` to `aEnd` of the old text became lines from `b` to `bEnd` of the new one. Counted from 0. */
interface Change {
  readonly a: number
  readonly aEnd: number
  readonly b: number
  readonly bEnd: number
}

/** The lines with their ends. A text that ends with a line feed has no empty line after it. */
const linesOf = (text: string): ReadonlyArray<string> => text.match(/[^\n]*\n|[^\n]+$/g) ?? []

/** The lines of both texts as numbers, so that equal lines are compared quickly. */
const numbered = (one: ReadonlyArray<string>, other: ReadonlyArray<string>) => {
  const known = new Map<string, number>()
  const numberOf = (line: string) => {
    const found = known.get(line)
    if (found !== undefined) return found
    known.set(line, known.size)
    return known.size - 1
  }
  return [Int32Array.from(one, numberOf), Int32Array.from(other, numberOf)] as const
}

/**
 * The changed regions of two sequences, by the greedy algorithm of Myers ("An O(ND) Difference Algorithm", 1986).
 * Sequences that differ in more than `mostEdits` places count as one change.
 */
const changesOf = (a: Int32Array, b: Int32Array): ReadonlyArray<Change> => {
  let start = 0
  while (start < a.length && start < b.length && a[start] === b[start]) start++
  let aEnd = a.length
  let bEnd = b.length
  while (aEnd > start && bEnd > start && a[aEnd - 1] === b[bEnd - 1]) {
    aEnd--
    bEnd--
  }
  if (start === aEnd && start === bEnd) return []
  const whole = [{ a: start, aEnd, b: start, bEnd }]
  if (start === aEnd || start === bEnd) return whole
  const edits = shortest(a.subarray(start, aEnd), b.subarray(start, bEnd))
  if (edits === undefined) return whole
  return edits.map((edit) => ({
    a: edit.a + start,
    aEnd: edit.aEnd + start,
    b: edit.b + start,
    bEnd: edit.bEnd + start
  }))
}

/** The shortest script, as regions in order; undefined when it has more than `mostEdits` edits. */
const shortest = (a: Int32Array, b: Int32Array): ReadonlyArray<Change> | undefined => {
  const most = Math.min(mostEdits, a.length + b.length)
  // The furthest x on each diagonal, and what it was before each number of edits.
  const furthest = new Int32Array(2 * most + 3)
  const middle = most + 1
  const trace: Array<Int32Array> = []
  for (let edits = 0; edits <= most; edits++) {
    trace.push(furthest.slice(middle - edits - 1, middle + edits + 2))
    for (let diagonal = -edits; diagonal <= edits; diagonal += 2) {
      const below = furthest[middle + diagonal - 1]!
      const above = furthest[middle + diagonal + 1]!
      let x = diagonal === -edits || (diagonal !== edits && below < above) ? above : below + 1
      while (x < a.length && x - diagonal < b.length && a[x] === b[x - diagonal]) x++
      furthest[middle + diagonal] = x
      if (x >= a.length && x - diagonal >= b.length) return backwards(a, b, trace)
    }
  }
  return undefined
}

const backwards = (a: Int32Array, b: Int32Array, trace: ReadonlyArray<Int32Array>): ReadonlyArray<Change> => {
  const found: Array<Change> = []
  let x = a.length
  let y = b.length
  for (let edits = trace.length - 1; edits > 0; edits--) {
    const before = trace[edits]!
    const at = (diagonal: number) => before[diagonal + edits + 1]!
    const diagonal = x - y
    const isInsertion = diagonal === -edits || (diagonal !== edits && at(diagonal - 1) < at(diagonal + 1))
    const from = isInsertion ? diagonal + 1 : diagonal - 1
    const previousX = at(from)
    const previousY = previousX - from
    const change = isInsertion
      ? { a: previousX, aEnd: previousX, b: previousY, bEnd: previousY + 1 }
      : { a: previousX, aEnd: previousX + 1, b: previousY, bEnd: previousY }
    const next = found.at(-1)
    if (next !== undefined && next.a === change.aEnd && next.b === change.bEnd) {
      found[found.length - 1] = { ...next, a: change.a, b: change.b }
    } else found.push(change)
    x = previousX
    y = previousY
  }
  return found.reverse()
}

/** Changes whose surroundings touch, as one hunk each. */
const hunksOf = (changes: ReadonlyArray<Change>): ReadonlyArray<ReadonlyArray<Change>> => {
  const hunks: Array<Array<Change>> = []
  for (const change of changes) {
    const last = hunks.at(-1)
    const before = last?.at(-1)
    if (last !== undefined && before !== undefined && change.a - before.aEnd <= 2 * context) last.push(change)
    else hunks.push([change])
  }
  return hunks
}

const rangeOf = (from: number, to: number): string => {
  const length = to - from
  if (length === 1) return String(from + 1)
  return `${length === 0 ? from : from + 1},${length}`
}

const marked = (mark: string, line: string): string =>
  line.endsWith("\n") ? `${mark}${line}` : `${mark}${line}\n\\ No newline at end of file\n`

/** A unified diff. `isCut`: it ends early, because it would be too long. */
interface TextDiff {
  readonly text: string
  readonly isCut: boolean
}

/**
 * The unified diff of two texts, with three lines of context, as `diff -u` writes it; empty when they are equal. It ends
 * with the hunk that would exceed `mostChars`.
 */
export const unifiedDiff = (
  from: { readonly name: string; readonly text: string },
  to: { readonly name: string; readonly text: string },
  mostChars: number
): TextDiff => {
  if (from.text === to.text) return { text: "", isCut: false }
  const [old, now] = [linesOf(from.text), linesOf(to.text)]
  const parts = [`--- ${from.name}\n+++ ${to.name}\n`]
  let chars = parts[0]!.length
  for (const hunk of hunksOf(changesOf(...numbered(old, now)))) {
    const [first, last] = [hunk[0]!, hunk.at(-1)!]
    const before = Math.min(context, first.a)
    const after = Math.min(context, old.length - last.aEnd)
    const lines: Array<string> = []
    let at = first.a - before
    const keep = (until: number) => {
      for (; at < until; at++) lines.push(marked(" ", old[at]!))
    }
    for (const { a, aEnd, b, bEnd } of hunk) {
      keep(a)
      for (; at < aEnd; at++) lines.push(marked("-", old[at]!))
      for (let added = b; added < bEnd; added++) lines.push(marked("+", now[added]!))
    }
    keep(last.aEnd + after)
    const range = `-${rangeOf(first.a - before, last.aEnd + after)} +${rangeOf(first.b - before, last.bEnd + after)}`
    const text = `@@ ${range} @@\n${lines.join("")}`
    if (chars + text.length > mostChars) return { text: parts.join(""), isCut: true }
    parts.push(text)
    chars += text.length
  }
  return { text: parts.join(""), isCut: false }
}

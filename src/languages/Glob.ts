/** How many paths a pattern may stand for by its braces, and how many characters these may have together. */
const mostPaths = 1000
const mostCharacters = 16_384

/** The place of a path's first wildcard, or -1. */
export const firstWildcard = (path: string): number => path.search(/[*?[\]{}]/)

/** Whether a path has wildcards. */
export const isGlob = (path: string): boolean => firstWildcard(path) >= 0

/** The texts of a part of a pattern; undefined when there are too many. */
type Texts = ReadonlyArray<string> | undefined

/** Every text of the first followed by every one of the second. */
const followed = (first: Texts, second: Texts): Texts => {
  if (first === undefined || second === undefined) return undefined
  if (first.length * second.length > mostPaths) return undefined
  const lengthOf = (texts: ReadonlyArray<string>) => texts.reduce((sum, { length }) => sum + length, 0)
  if (lengthOf(first) * second.length + lengthOf(second) * first.length > mostCharacters) return undefined
  return first.flatMap((start) => second.map((end) => start + end))
}

const numbers = /^(-?\d{1,15})\.\.(-?\d{1,15})(?:\.\.(-?\d{1,15}))?$/
const letters = /^([A-Za-z])\.\.([A-Za-z])(?:\.\.(-?\d{1,15}))?$/

/** The texts of `1..9`, `01..10`, `a..f` or `0..90..10`; null when the text is no such sequence. */
const sequence = (text: string): Texts | null => {
  const isNumeric = numbers.test(text)
  const [, first = "", last = "", by = "1"] = numbers.exec(text) ?? letters.exec(text) ?? []
  if (first === "") return null
  const [from, to] = [first, last].map((end) => (isNumeric ? Number(end) : end.charCodeAt(0))) as [number, number]
  const step = Math.max(Math.abs(Number(by)), 1) * (from > to ? -1 : 1)
  const count = Math.floor((to - from) / step) + 1
  if (count > mostPaths) return undefined
  const values = Array.from({ length: count }, (_, index) => from + index * step)
  if (!isNumeric) return values.map((code) => String.fromCharCode(code))
  const width = [first, last, by].some((end) => /^-?0\d/.test(end)) ? Math.max(first.length, last.length) : 0
  return values.map((value) =>
    value < 0 ? `-${String(-value).padStart(width - 1, "0")}` : String(value).padStart(width, "0")
  )
}

/** The closing brace of each opening one that has one. */
const bracesOf = (pattern: string): ReadonlyMap<number, number> => {
  const [open, pairs]: [Array<number>, Map<number, number>] = [[], new Map()]
  for (let at = 0; at < pattern.length; at++) {
    if (pattern[at] === "{") open.push(at)
    else if (pattern[at] === "}" && open.length > 0) pairs.set(open.pop()!, at)
  }
  return pairs
}

/** The texts that a pattern stands for by its braces, `{a,b}` and `{1..9}`. Other braces mean themselves. */
const expanded = (pattern: string): Texts => {
  const pairs = bracesOf(pattern)
  /** The texts of a part: of each of its choices, which commas separate when it is what braces contain. */
  const choices = (start: number, end: number, isInBraces: boolean): ReadonlyArray<Texts> => {
    const found: Array<Texts> = []
    let texts: Texts = [""]
    let from = start
    for (let at = start; at <= end; at++) {
      const close = at < end ? pairs.get(at) : undefined
      if (close !== undefined) {
        texts = followed(followed(texts, [pattern.slice(from, at)]), group(at, close))
        from = close + 1
        at = close
      } else if (at === end || (isInBraces && pattern[at] === ",")) {
        found.push(followed(texts, [pattern.slice(from, at)]))
        texts = [""]
        from = at + 1
      }
    }
    return found
  }
  const group = (open: number, close: number): Texts => {
    const body = pattern.slice(open + 1, close)
    if (pattern[open - 1] === "$") return [`{${body}}`]
    const counted = sequence(body)
    if (counted !== null) return counted
    const found = choices(open + 1, close, true)
    if (found.length === 1) return followed(followed(["{"], found[0]), ["}"])
    const together: Array<string> = []
    for (const texts of found) {
      if (texts === undefined || together.length + texts.length > mostPaths) return undefined
      together.push(...texts)
    }
    return together
  }
  return choices(0, pattern.length, false)[0]
}

const tooLarge =
  `The braces stand for more than ${mostPaths} paths, or for more than ${mostCharacters} characters together: ` +
  "write * or ? in place of some"

/** Why a pattern cannot be used, with the cure. */
export const globFault = (pattern: string): string | undefined =>
  expanded(pattern) === undefined ? tooLarge : undefined

type Test = (text: string) => boolean

/** Matches any number of items. */
const any = Symbol("any")
/** What matches a character of a name, or a segment of a path: itself, or those that fit. */
type Step = string | Test | typeof any

/**
 * Whether the steps match all items. It goes back to the latest `any` only, because that can take what an earlier one
 * could: its time is at most the number of steps times that of the items.
 */
const matches = (steps: ReadonlyArray<Step>, items: ArrayLike<string>, isAny: Test): boolean => {
  let [step, at, latest, from] = [0, 0, -1, 0]
  while (at < items.length) {
    const one = steps[step]
    const item = items[at]!
    if (one === any) {
      latest = step++
      from = at
    } else if (one === item || (typeof one === "function" && one(item))) {
      step++
      at++
    } else if (latest >= 0 && isAny(items[from]!)) {
      step = latest + 1
      at = ++from
    } else return false
  }
  while (steps[step] === any) step++
  return step === steps.length
}

/** What the named classes of POSIX stand for, such as `[:digit:]`. */
const named: Readonly<Record<string, RegExp>> = {
  alnum: /[\p{L}\p{Nl}\p{Nd}]/u,
  alpha: /[\p{L}\p{Nl}]/u,
  ascii: /[\0-\x7f]/,
  blank: /[\p{Zs}\t]/u,
  cntrl: /\p{Cc}/u,
  digit: /\p{Nd}/u,
  graph: /[^\p{Z}\p{C}]/u,
  lower: /\p{Ll}/u,
  print: /\P{C}/u,
  punct: /\p{P}/u,
  space: /[\p{Z}\t\r\n\v\f]/u,
  upper: /\p{Lu}/u,
  word: /[\p{L}\p{Nl}\p{Nd}\p{Pc}]/u,
  xdigit: /[A-Fa-f0-9]/
}

/** The class of characters that begins at a bracket, and its end; undefined when no bracket closes it. */
const classAt = (text: string, start: number): { readonly test: Test; readonly end: number } | undefined => {
  const isNegated = text[start + 1] === "!" || text[start + 1] === "^"
  const first = start + (isNegated ? 2 : 1)
  const tests: Array<Test> = []
  for (let at = first; at < text.length; at++) {
    const char = text[at]!
    if (char === "]" && at > first) {
      const has: Test = (given) => tests.some((test) => test(given))
      // Without any character it matches none, negated or not.
      return { test: isNegated ? (given) => tests.length > 0 && !has(given) : has, end: at }
    }
    const [whole = "", name = ""] = char === "[" ? (/^\[:([a-z]{5,6}):\]/.exec(text.slice(at, at + 10)) ?? []) : []
    const known = Object.hasOwn(named, name) ? named[name] : undefined
    const to = text[at + 1] === "-" ? text[at + 2] : undefined
    if (known !== undefined) {
      tests.push((given) => known.test(given))
      at += whole.length - 1
    } else if (to !== undefined && to !== "]") {
      if (char <= to) tests.push((given) => char <= given && given <= to)
      at += 2
    } else tests.push((given) => given === char)
  }
  return undefined
}

const isHidden: Test = (segment) => segment.startsWith(".")
const isShown: Test = (segment) => !isHidden(segment)
const isOne: Test = () => true

/** What matches a segment of a path. Names that begin with a dot are matched by patterns only that do. */
const segmentStep = (text: string): Step => {
  if (text === "**") return any
  if (!/[*?[]/.test(text)) return text
  const steps: Array<Step> = []
  let mayOpen = true
  for (let at = 0; at < text.length; at++) {
    const char = text[at]!
    const open = char === "[" && mayOpen ? classAt(text, at) : undefined
    if (open !== undefined) {
      steps.push(open.test)
      at = open.end
    } else if (char === "*") {
      if (steps.at(-1) !== any) steps.push(any)
    } else steps.push(char === "?" ? isOne : char)
    // Else a text of opening brackets would be read to its end from each of them.
    if (char === "[" && open === undefined) mayOpen = false
  }
  const isForHidden = isHidden(text)
  return (segment) => (isForHidden || isShown(segment)) && matches(steps, segment, isOne)
}

const segmentsOf = (path: string): ReadonlyArray<string> => path.split(/\/+/)

/** A pattern such as `{.,old}/a.log` stands for a path with a dot, which is the path without it. */
const withoutDots = (text: string): string =>
  segmentsOf(text)
    .filter((segment) => segment !== ".")
    .join("/")

const pathTest = (text: string): ((path: ReadonlyArray<string>) => boolean) => {
  const steps = segmentsOf(text).map(segmentStep)
  // What lies in a folder is not the folder.
  if (steps.at(-1) === any) steps.push(isShown)
  return (path) => matches(steps, path, isShown)
}

/**
 * Whether paths match a pattern: `*` is any characters of a name, `?` is one, `[a-z]` and `[!a-z]` are one of these and
 * one of all others, `**` is any number of folders, `{a,b}` and `{1..9}` are one of these. All else means itself. Names
 * that begin with a dot match only where the pattern has the dot.
 *
 * Throws a `RangeError` with the {@link globFault} if there is one.
 */
export const globTest = (pattern: string): Test => {
  const texts = expanded(pattern)
  if (texts === undefined) throw new RangeError(tooLarge)
  const distinct = [...new Set(texts.map(withoutDots))]
  const plain = new Set(distinct.filter((text) => !/[*?[]/.test(text)))
  const tests = distinct.filter((text) => !plain.has(text)).map(pathTest)
  return (path) => {
    if (plain.has(path)) return true
    if (tests.length === 0) return false
    const segments = segmentsOf(path)
    return tests.some((test) => test(segments))
  }
}

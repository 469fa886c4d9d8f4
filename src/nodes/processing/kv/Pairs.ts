import { type SeparatorSyntax, Separators } from "./Separators.ts"

/** The syntax of pairs. */
interface PairSyntax {
  readonly pairs: SeparatorSyntax
  readonly values: SeparatorSyntax
  /** Whether `(…)`, `[…]` and `<…>` enclose values. */
  readonly brackets: boolean
  /** Whether blanks around keys and values belong to them. */
  readonly isStrict: boolean
}

type Pair = readonly [key: string, value: string]

const closing = new Map([
  ['"', '"'],
  ["'", "'"],
  ["(", ")"],
  ["[", "]"],
  ["<", ">"]
])
/** Whether a UTF-16 unit opens an enclosed value. */
const marks = new Uint8Array(65_536)
for (const open of closing.keys()) marks[open.charCodeAt(0)] = 1
const isQuote = (mark: string): boolean => mark === '"' || mark === "'"

/** Punctuation that may follow a closing mark without being part of the value. */
const tail = /[,;.)\]}>]*/y

/** Halves the backslashes before a quote and before the end, as the writer doubled them, and keeps all others. */
const unescape = (text: string, quote: string): string =>
  text.replace(quote === '"' ? /\\+(?="|$)/g : /\\+(?='|$)/g, (run) => run.slice(run.length - (run.length >> 1)))

/** Maximum nesting of brackets in a value; it also limits how far ahead a bracket is looked for. */
const maxDepth = 20

/** The bracket that closes the one at an offset; the first closing one when they are not balanced, -1 without one. */
const closingBracket = (text: string, from: number, open: string, close: string): number => {
  const first = text.indexOf(close, from + 1)
  let depth = 1
  for (let at = from + 1; first !== -1 && at < text.length && depth <= maxDepth; at++) {
    if (text[at] === open) depth++
    else if (text[at] === close && --depth === 0) return at
  }
  return first
}

/** Reads the pairs of a text in order. Each character is looked at a fixed number of times. */
export const readPairs = ({ pairs, values, brackets, isStrict }: PairSyntax): ((text: string) => Array<Pair>) => {
  const between = new Separators(pairs, true)
  const equals = new Separators(values, false)
  let text = ""
  /** The offset after the value that was read last. */
  let end = 0
  /** Closing marks that do not occur from here on. */
  const missing = new Set<string>()

  const afterBlanks = (from: number): number => {
    let at = from
    if (!isStrict) while (text.charCodeAt(at) === 32) at++
    return at
  }

  /** The end of a value whose closing mark is before the offset, with punctuation; -1 when the value goes on. */
  const endAfter = (from: number): number => {
    for (let isCut = false; ; isCut = true) {
      if (from === text.length || between.find(from) === from) return from
      const rest = afterBlanks(from)
      if (rest === text.length || between.find(rest) === rest) return rest
      if (isCut) return -1
      tail.lastIndex = from
      tail.exec(text)
      if (tail.lastIndex === from) return -1
      from = tail.lastIndex
    }
  }

  /** The closing quote: one without a backslash, and the first one with it that ends a pair. */
  const closingQuote = (quote: string, from: number): readonly [plain: number, escaped: number] => {
    let escaped = -1
    let close = text.indexOf(quote, from)
    for (; close !== -1; close = text.indexOf(quote, close + 1)) {
      let first = close
      while (first > from && text.charCodeAt(first - 1) === 92) first--
      if ((close - first) % 2 === 0) return [close, escaped]
      if (escaped === -1 && endAfter(close + 1) !== -1) escaped = close
    }
    if (escaped === -1) missing.add(quote)
    return [-1, escaped]
  }

  /** A value in quotes or brackets; undefined when it is plain text. */
  const enclosed = (from: number): string | undefined => {
    const open = text[from] ?? ""
    const close = closing.get(open)
    if (close === undefined || missing.has(close)) return undefined
    if (isQuote(open)) {
      const [plain, escaped] = closingQuote(open, from + 1)
      end = plain === -1 ? -1 : endAfter(plain + 1)
      if (end !== -1) {
        const inner = text.slice(from + 1, plain)
        return inner.includes("\\") ? unescape(inner, open) : inner
      }
      if (escaped === -1) return undefined
      // A path may end in a backslash before the closing quote.
      end = endAfter(escaped + 1)
      return text.slice(from + 1, escaped)
    }
    if (!brackets) return undefined
    const at = closingBracket(text, from, open, close)
    if (at === -1) missing.add(close)
    end = at === -1 ? -1 : endAfter(at + 1)
    return end === -1 ? undefined : text.slice(from + 1, at)
  }

  /** A key in quotes, and the offset of the separator after it. */
  const quotedKey = (from: number): readonly [key: string, middle: number] | undefined => {
    const quote = text[from] ?? ""
    if (!isQuote(quote) || missing.has(quote)) return undefined
    const close = closingQuote(quote, from + 1)[0]
    if (close === -1) return undefined
    const middle = afterBlanks(close + 1)
    if (middle === text.length || equals.find(middle) !== middle) return undefined
    return [unescape(text.slice(from + 1, close), quote), middle]
  }

  /** Whether a word and `=` begin another pair here, as in `OUT= MAC=0f`. */
  const isNextKey = (from: number): boolean => {
    const middle = equals.find(from)
    if (middle === text.length || !text.slice(middle, equals.end).includes("=")) return false
    const end = between.find(from)
    return middle < end ? middle > from : afterBlanks(end) === middle
  }

  /** The value after a separator. */
  const valueAt = (from: number): string => {
    const start = afterBlanks(from)
    const inner = marks[text.charCodeAt(start)] === 1 ? enclosed(start) : undefined
    if (inner !== undefined) return inner
    if (start > from && between.find(from) === from && isNextKey(start)) {
      end = from
      return ""
    }
    end = between.find(start)
    const value = text.slice(start, end)
    return isStrict ? value : value.trim()
  }

  return (given) => {
    text = given
    missing.clear()
    between.begin(text)
    equals.begin(text)
    const found: Array<Pair> = []
    for (let at = 0; at < text.length; ) {
      const gap = between.find(at)
      if (gap === at) {
        at = between.end
        continue
      }
      const quoted = marks[text.charCodeAt(at)] === 1 ? quotedKey(at) : undefined
      const middle = quoted === undefined ? equals.find(at) : quoted[1]
      if (middle === text.length) break
      const isPair = middle < gap || (middle > gap && !isStrict && afterBlanks(gap) === middle)
      if (quoted === undefined && !isPair) {
        at = gap
        continue
      }
      const word = quoted?.[0] ?? text.slice(at, Math.min(middle, gap))
      equals.find(middle)
      const value = valueAt(equals.end)
      at = end
      const key = isStrict || quoted !== undefined ? word : word.trim()
      if (key !== "") found.push([key, value])
    }
    return found
  }
}

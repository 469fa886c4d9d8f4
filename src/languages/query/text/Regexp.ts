import { storable } from "../StoredText.ts"
import { escaped, literal } from "./TextPattern.ts"

/** A regular expression that cannot be searched for, with the reason for users. */
export class RegexpFault extends Error {}

/** The operators that a query can turn off, in Elasticsearch's words. */
export const regexpFlags = ["ALL", "NONE", "ANYSTRING", "COMPLEMENT", "EMPTY", "INTERSECTION", "INTERVAL"] as const
export type RegexpFlag = (typeof regexpFlags)[number]

interface RegexpOptions {
  readonly ignoreCase: boolean
  readonly flags: ReadonlySet<RegexpFlag>
}

/**
 * Limits: the characters of an expression, its characters and classes with all repetitions written out, and PostgreSQL's
 * largest count. `optional` is the sum of the squares of how many optional pieces follow each other: PostgreSQL takes
 * the third power of that to compile them, a minute for 765.
 */
const most = { length: 1000, size: 1000, count: 255, depth: 50, optional: 20_000 }

interface Piece {
  readonly text: string
  readonly size: number
  /** The optional pieces in a piece that matches the empty text, and 0 in others. */
  readonly optional: number
  /** What counts for `most.optional` inside. */
  readonly cost: number
}

const single = (text: string): Piece => ({ text, size: 1, optional: 0, cost: 0 })

type Range = readonly [from: number, to: number]

const shorthands: Readonly<Record<string, ReadonlyArray<Range>>> = {
  d: [[0x30, 0x39]],
  w: [
    [0x30, 0x39],
    [0x41, 0x5a],
    [0x5f, 0x5f],
    [0x61, 0x7a]
  ],
  s: [
    [0x09, 0x0a],
    [0x0d, 0x0d],
    [0x20, 0x20]
  ]
}

const refused: Readonly<Record<string, readonly [flag: RegexpFlag | undefined, cure: string]>> = {
  "~": ["COMPLEMENT", "a complement (~) is not supported: use must_not, or write \\~ for the character"],
  "&": ["INTERSECTION", "an intersection (&) is not supported: use two clauses, or write \\& for the character"],
  "<": ["INTERVAL", "an interval (<1-9>) is not supported: use range or alternatives, or write \\< for the character"],
  "#": ["EMPTY", "the empty language (#) is not supported: write \\# for the character"],
  "^": [
    undefined,
    "there are no anchors, an expression is for the whole text: leave ^ out, or write \\^ for the character"
  ],
  $: [
    undefined,
    "there are no anchors, an expression is for the whole text: leave $ out, or write \\$ for the character"
  ]
}

const letters: Range = [0x61, 0x7a]
const capitals: Range = [0x41, 0x5a]
const toCapital = letters[0] - capitals[0]

const shifted = ([from, to]: Range, [least, greatest]: Range, by: number): ReadonlyArray<Range> => {
  const [low, high] = [Math.max(from, least), Math.min(to, greatest)]
  return low > high ? [] : [[low + by, high + by]]
}

/** Parses Lucene's syntax and writes an expression that means the same in PostgreSQL and in JavaScript. */
class Translator {
  readonly #characters: ReadonlyArray<string>
  readonly #options: RegexpOptions
  #at = 0
  #depth = 0

  constructor(text: string, options: RegexpOptions) {
    this.#characters = [...text]
    this.#options = options
  }

  read(): Piece {
    const piece = this.#alternatives()
    if (this.#at < this.#characters.length) this.#fault("a parenthesis is not open")
    return piece
  }

  #fault(reason: string): never {
    throw new RegexpFault(`${reason} (character ${this.#at + 1} of the expression)`)
  }

  get #next(): string | undefined {
    return this.#characters[this.#at]
  }

  #take(character: string): boolean {
    if (this.#next !== character) return false
    this.#at++
    return true
  }

  #has(flag: RegexpFlag): boolean {
    return this.#options.flags.has("ALL") || this.#options.flags.has(flag)
  }

  #alternatives(): Piece {
    if (++this.#depth > most.depth) this.#fault(`an expression has at most ${most.depth} levels`)
    const found = [this.#sequence()]
    while (this.#take("|")) found.push(this.#sequence())
    this.#depth--
    const total = (of: (piece: Piece) => number) => found.reduce((sum, one) => sum + of(one), 0)
    const text = found.map((one) => one.text).join("|")
    return {
      text: found.length === 1 ? text : `(?:${text})`,
      size: total(({ size }) => size),
      optional: total(({ optional }) => optional),
      cost: total(({ cost }) => cost)
    }
  }

  #sequence(): Piece {
    let text = ""
    let [size, cost, run] = [0, 0, 0]
    let isOptional = true
    const start = this.#at
    while (this.#next !== undefined && this.#next !== "|" && this.#next !== ")") {
      const piece = this.#repeated()
      text += piece.text
      size += piece.size
      cost += piece.cost
      if (piece.optional > 0) run += piece.optional
      else {
        cost += run ** 2
        run = 0
        isOptional = false
      }
      this.#bound(size, cost + run ** 2)
    }
    if (this.#at === start) this.#fault("an alternative is empty: write () for the empty text")
    return isOptional ? { text, size, optional: run, cost } : { text, size, optional: 0, cost: cost + run ** 2 }
  }

  #bound(size: number, cost: number): void {
    if (size > most.size) {
      this.#fault(`the expression is too large: at most ${most.size} characters with all repetitions`)
    }
    if (cost > most.optional) this.#fault("too many optional parts follow each other: use fewer ?, * and counts")
  }

  #repeated(): Piece {
    let { text, size, optional, cost } = this.#atom()
    for (;;) {
      const sign = this.#next
      if (sign === "?" || sign === "*" || sign === "+") {
        this.#at++
        text = `(?:${text})${sign}`
        if (sign !== "+") optional = Math.max(1, optional)
      } else if (sign === "{") {
        const [from, to] = this.#counts()
        const times = Math.max(1, to ?? from)
        text = `(?:${text})${to === undefined ? `{${from},}` : `{${from},${to}}`}`
        size *= times
        cost *= times
        optional = optional > 0 ? optional * times : from === 0 ? 1 : 0
      } else return { text, size, optional, cost }
      this.#bound(size, cost + optional ** 2)
    }
  }

  #counts(): readonly [number, number | undefined] {
    const rest = this.#characters.slice(this.#at, this.#at + 24).join("")
    const [whole = "", least, comma, greatest] = /^\{(\d{1,9})(,?)(\d{0,9})\}/.exec(rest) ?? []
    if (least === undefined) this.#fault("a count is written as {2}, {2,} or {2,5}, and the character as \\{")
    const from = Number(least)
    const to = comma === "" ? from : greatest === "" ? undefined : Number(greatest)
    if (Math.max(from, to ?? 0) > most.count) this.#fault(`a count is at most ${most.count}`)
    if (to !== undefined && to < from) this.#fault("the counts are in the wrong order")
    this.#at += whole.length
    return [from, to]
  }

  #one(character: string): Piece {
    return single(literal(character, this.#options.ignoreCase))
  }

  #atom(): Piece {
    const character = this.#next
    if (character === undefined) this.#fault("the expression ends too early")
    const [flag, cure] = refused[character] ?? []
    if (cure !== undefined && (flag === undefined || this.#has(flag))) this.#fault(cure)
    if (character === "?" || character === "*" || character === "+" || character === "{") {
      this.#fault(`there is nothing to repeat: write \\${character} for the character`)
    }
    this.#at++
    if (character === ".") return single(".")
    if (character === "@" && this.#has("ANYSTRING")) return { ...single(".*"), optional: 1 }
    if (character === '"') return this.#quoted()
    if (character === "(") return this.#group()
    if (character === "[") return this.#class()
    if (character !== "\\") return this.#one(character)
    const named = this.#next
    if (named === undefined) this.#fault("a backslash ends the expression")
    this.#at++
    const ranges = shorthands[named.toLowerCase()]
    return ranges === undefined ? this.#one(named) : this.#written(ranges, named !== named.toLowerCase())
  }

  #quoted(): Piece {
    const start = this.#at
    const end = this.#characters.indexOf('"', start)
    if (end === -1) this.#fault('a quote is not closed: write \\" for the character')
    this.#at = end + 1
    const pieces = this.#characters.slice(start, end).map((one) => this.#one(one).text)
    return { ...single(`(?:${pieces.join("")})`), size: pieces.length, optional: pieces.length === 0 ? 1 : 0 }
  }

  #group(): Piece {
    if (this.#take(")")) return { ...single("(?:)"), size: 0, optional: 1 }
    const inner = this.#alternatives()
    if (!this.#take(")")) this.#fault("a parenthesis is not closed: write \\( for the character")
    return { ...inner, text: `(?:${inner.text})` }
  }

  #class(): Piece {
    const isNegated = this.#take("^")
    const ranges: Array<Range> = []
    do ranges.push(...this.#range())
    while (!this.#take("]"))
    return this.#written(ranges, isNegated)
  }

  #range(): ReadonlyArray<Range> {
    const first = this.#member()
    if (typeof first !== "number") return first
    const isRange = this.#next === "-" && this.#characters[this.#at + 1] !== "]"
    if (isRange) this.#at++
    const last = isRange ? this.#member() : first
    if (typeof last !== "number" || last < first) this.#fault("a range of characters is in the wrong order")
    return [[first, last]]
  }

  /** A character in brackets, or what a shorthand such as `\d` stands for. */
  #member(): number | ReadonlyArray<Range> {
    const character = this.#next
    if (character === undefined) this.#fault("a bracket is not closed: write \\[ for the character")
    this.#at++
    if (storable(character) !== character) this.#fault("this character cannot stand in brackets")
    if (character !== "\\") return character.codePointAt(0) ?? 0
    const named = this.#next
    if (named === undefined) this.#fault("a backslash ends the expression")
    this.#at++
    if (/[DWS]/.test(named)) this.#fault(`\\${named} cannot stand in brackets`)
    return shorthands[named] ?? named.codePointAt(0) ?? 0
  }

  #written(ranges: ReadonlyArray<Range>, isNegated: boolean): Piece {
    const both = this.#options.ignoreCase
      ? ranges.flatMap((range) => [
          range,
          ...shifted(range, letters, -toCapital),
          ...shifted(range, capitals, toCapital)
        ])
      : ranges
    const text = both.map(([from, to]) => {
      const [first, last] = [from, to].map((code) => escaped(String.fromCodePoint(code)))
      return from === to ? first : `${first}-${last}`
    })
    return single(`[${isNegated ? "^" : ""}${text.join("")}]`)
  }
}

/**
 * The expression of `TextPattern.ts` for a regular expression in Lucene's syntax, which is for the whole text.
 *
 * @throws RegexpFault
 */
export const translated = (text: string, options: RegexpOptions): string => {
  if (text.length > most.length) throw new RegexpFault(`an expression has at most ${most.length} characters`)
  return text === "" ? "^$" : `^(?:${new Translator(text, options).read().text})$`
}

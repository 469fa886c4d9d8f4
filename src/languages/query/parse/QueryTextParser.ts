import { allOf, anyOf, noneOf, type Query } from "../Query.ts"
import { unescaped } from "../text/TextPattern.ts"
import type { Bound } from "./Range.ts"
import { TextClauses, TextFault, type TextOptions } from "./TextClauses.ts"

/** A fault that says where it is. */
class PlacedFault extends TextFault {}

/** One clause of a sequence, or several of which one has to match. */
interface Clause {
  readonly queries: ReadonlyArray<Query>
  readonly sign: "+" | "-" | undefined
}

const bare = /(?:\\[\s\S]|[^\s()"[\]{}:\\^~|&])+|[&|](?![&|])/uy
/** Words that are none, wherever they stand. */
const operators = new Set(["AND", "OR", "NOT"])
const deepest = 32

/**
 * Parses the language of `query_string`: `field:value`, AND, OR, NOT, `+`, `-`, parentheses, quotes, wildcards, regular
 * expressions, fuzzy words and ranges.
 */
export class QueryTextParser {
  readonly #text: string
  readonly #options: TextOptions
  readonly #clauses: TextClauses
  #at = 0
  #depth = 0

  constructor(text: string, options: TextOptions) {
    this.#text = text
    this.#options = options
    this.#clauses = new TextClauses(options)
  }

  read(): Query {
    try {
      const query = this.#sequence(this.#options.fields, this.#options.minimum)
      if (this.#at < this.#text.length) this.#fault("Expected the end of the text")
      return query
    } catch (error) {
      if (!(error instanceof TextFault) || error instanceof PlacedFault) throw error
      return this.#fault(error.message)
    }
  }

  #fault(detail: string): never {
    throw new PlacedFault(`${detail} (character ${this.#at + 1} of the text)`)
  }

  #blank(): void {
    while (/\s/.test(this.#text[this.#at] ?? "")) this.#at++
  }

  /** Consumes an operator, unless it is the start of a word. */
  #take(...operators: ReadonlyArray<string>): boolean {
    this.#blank()
    const rest = this.#text.slice(this.#at)
    const found = operators.find(
      (operator) =>
        rest.startsWith(operator) && (!/\w$/.test(operator) || /^(\s|[()"]|$)/.test(rest.slice(operator.length)))
    )
    if (found === undefined) return false
    this.#at += found.length
    return true
  }

  #enter(): void {
    if (++this.#depth > deepest) this.#fault(`A query text has at most ${deepest} levels`)
  }

  #sequence(fields: ReadonlyArray<string>, minimum?: TextOptions["minimum"]): Query {
    this.#enter()
    const clauses: Array<Clause> = []
    for (this.#blank(); this.#at < this.#text.length && this.#text[this.#at] !== ")"; this.#blank()) {
      clauses.push(this.#or(fields))
      if (clauses.length > 1024) this.#fault("A query text has at most 1024 clauses")
    }
    this.#depth--
    if (clauses.length === 0) return { _tag: "None" }
    const of = (sign: Clause["sign"]) => clauses.filter((clause) => clause.sign === sign)
    const isAll = this.#options.all && clauses.length > 1
    const mustNot = of("-").flatMap(({ queries }) => queries)
    const must = [...of("+"), ...(isAll ? of(undefined) : [])].map(({ queries }) => anyOf(queries))
    const should = isAll ? [] : of(undefined).flatMap(({ queries }) => queries)
    const asked = minimum === undefined || should.length === 0 ? 0 : (minimum(should.length) ?? 0)
    const least = Math.max(asked, must.length === 0 && should.length > 0 ? 1 : 0)
    if (must.length === 0 && mustNot.length === 0) return anyOf(should, least)
    if (mustNot.length === 0 && least === 0) return allOf(must)
    return { _tag: "Bool", must, should: least === 0 ? [] : should, mustNot, minimum: least }
  }

  #or(fields: ReadonlyArray<string>): Clause {
    const first = this.#and(fields)
    const others: Array<Query> = []
    while (this.#take("||", "OR")) others.push(plain(this.#and(fields)))
    return others.length === 0 ? first : { queries: [plain(first), ...others], sign: undefined }
  }

  #and(fields: ReadonlyArray<string>): Clause {
    const first = this.#signed(fields)
    const others: Array<Query> = []
    while (this.#take("&&", "AND")) others.push(plain(this.#signed(fields)))
    return others.length === 0 ? first : { queries: [allOf([plain(first), ...others])], sign: undefined }
  }

  #signed(fields: ReadonlyArray<string>): Clause {
    if (this.#take("NOT", "!", "-")) {
      this.#enter()
      const inner = this.#signed(fields)
      this.#depth--
      return { queries: [plain(inner)], sign: "-" }
    }
    const sign = this.#take("+") ? "+" : undefined
    return { queries: [this.#primary(fields)], sign }
  }

  #primary(fields: ReadonlyArray<string>): Query {
    this.#blank()
    const character = this.#text[this.#at]
    if (character === undefined) this.#fault("Expected a clause")
    if (character === "(") return this.#group(fields)
    if (character === '"') return this.#phrase(fields)
    if (character === "[" || character === "{") return this.#range(fields)
    if (/^[<>]/.test(character)) return this.#compare(fields)
    if (character === "/") return this.#regexp(fields)
    bare.lastIndex = this.#at
    const [word] = bare.exec(this.#text) ?? []
    if (word === undefined) this.#fault("No clause can start with this character")
    if (operators.has(word)) this.#fault(`No clause can start with ${word}: write "${word}" in quotes for the word`)
    const written = this.#decoded(word)
    this.#at += word.length
    if (this.#text[this.#at] === ":") {
      this.#at++
      return this.#field(written)
    }
    const edits = this.#tilde()
    const query =
      edits === undefined ? this.#clauses.word(fields, written) : this.#clauses.fuzzy(fields, written, edits)
    this.#weight()
    return query
  }

  #field(written: string): Query {
    const name = this.#clauses.field(written)
    bare.lastIndex = this.#at
    const [field] = bare.exec(this.#text) ?? []
    if (field !== undefined && this.#text[this.#at + field.length] === ":") this.#fault("A field is already named here")
    if (name !== "_exists_") return this.#primary([name])
    if (field === undefined) this.#fault("The name of a field is missing")
    const existing = this.#clauses.field(this.#decoded(field))
    this.#at += field.length
    return this.#clauses.exists(existing)
  }

  #group(fields: ReadonlyArray<string>): Query {
    this.#at++
    const query = this.#sequence(fields)
    if (this.#text[this.#at] !== ")") this.#fault("A parenthesis is not closed")
    this.#at++
    this.#weight()
    return query
  }

  #phrase(fields: ReadonlyArray<string>): Query {
    const found = /"((?:\\[\s\S]|[^"\\])*)"/uy
    found.lastIndex = this.#at
    const [whole, text] = found.exec(this.#text) ?? []
    if (whole === undefined || text === undefined) this.#fault("A quote is not closed")
    const words = unescaped(this.#decoded(text))
    this.#at += whole.length
    const slop = this.#tilde()
    if (slop === "") this.#fault('The slop of a phrase is a number: "one two"~3')
    const query = this.#clauses.phrase(fields, words, slop === undefined ? undefined : Number(slop))
    this.#weight()
    return query
  }

  #regexp(fields: ReadonlyArray<string>): Query {
    const found = /\/((?:\\[\s\S]|[^/\\])*)\//uy
    found.lastIndex = this.#at
    const [whole, text] = found.exec(this.#text) ?? []
    if (whole === undefined || text === undefined) {
      this.#fault("A regular expression is not closed: write \\/ for the character")
    }
    const query = this.#clauses.regexp(fields, text.replaceAll("\\/", "/"))
    this.#at += whole.length
    this.#weight()
    return query
  }

  /** The digits after a `~`; undefined without one. */
  #tilde(): string | undefined {
    if (this.#text[this.#at] !== "~") return undefined
    const found = /~(\d{0,9})(?![\w.])/uy
    found.lastIndex = this.#at
    const [whole, digits] = found.exec(this.#text) ?? []
    if (whole === undefined) this.#fault("A whole number follows ~, or nothing")
    this.#at += whole.length
    return digits ?? ""
  }

  /** Skips a weight, which has no effect here. */
  #weight(): void {
    const weight = /\^\d+(\.\d+)?/y
    weight.lastIndex = this.#at
    if (weight.test(this.#text)) this.#at = weight.lastIndex
  }

  /** A text in which `\u0041` is an escaped `A`. */
  #decoded(text: string): string {
    if (!text.includes("\\u")) return text
    return text.replace(
      /\\(?:u(d[89ab][\da-f]{2})\\u(d[c-f][\da-f]{2})|u([\da-f]{4})?|[\s\S])/gi,
      (escape, ...units) => {
        const codes = units.slice(0, 3).flatMap((unit) => (unit === undefined ? [] : [Number.parseInt(unit, 16)]))
        if (codes.length > 0) return `\\${String.fromCharCode(...codes)}`
        if (escape !== "\\u") return escape
        return this.#fault("Four hexadecimal digits follow \\u: write \\\\ for a backslash")
      }
    )
  }

  /** The value of a limit; undefined for `*`, unless that is in quotes or escaped. */
  #limit(written: string): string | undefined {
    if (written === "*") return undefined
    return unescaped(this.#decoded(written.startsWith('"') ? written.slice(1, -1) : written))
  }

  #range(fields: ReadonlyArray<string>): Query {
    const found = /([[{])\s*("(?:\\[\s\S]|[^"\\])*"|\S+)\s+TO\s+("(?:\\[\s\S]|[^"\\])*"|[^\s\]}]+)\s*([\]}])/uy
    found.lastIndex = this.#at
    const [whole, open, low = "", high = "", close] = found.exec(this.#text) ?? []
    if (whole === undefined) this.#fault("A range is written as [a TO b]")
    const [least, most] = [this.#limit(low), this.#limit(high)]
    this.#at += whole.length
    const query = this.#clauses.range(fields, [
      [open === "[" ? "gte" : "gt", least],
      [close === "]" ? "lte" : "lt", most]
    ])
    this.#weight()
    return query
  }

  #compare(fields: ReadonlyArray<string>): Query {
    const found = /([<>]=?)\s*("(?:\\[\s\S]|[^"\\])*"|(?:\\[\s\S]|[^\s()"\\])+)/uy
    found.lastIndex = this.#at
    const [whole, operator, written = ""] = found.exec(this.#text) ?? []
    if (whole === undefined) this.#fault("A limit is missing")
    const limit = this.#limit(written)
    this.#at += whole.length
    const bounds: Readonly<Record<string, Bound>> = { "<": "lt", "<=": "lte", ">": "gt", ">=": "gte" }
    return this.#clauses.range(fields, [[bounds[operator ?? ""] ?? "gt", limit]])
  }
}

const plain = ({ queries, sign }: Clause): Query => (sign === "-" ? noneOf(queries) : anyOf(queries))

import { allOf, anyOf, noneOf, type Query } from "../Query.ts"
import { hasWildcard, unescaped } from "../text/TextPattern.ts"
import { withWordLike } from "../text/Words.ts"
import { fieldsOf, phrased, spendPhrase } from "./Match.ts"
import { ranging } from "./Range.ts"
import { equalTo, fitting, wildcardFault } from "./Terms.ts"
import { fieldFault, type Place, tooMuchWork } from "./ValueReader.ts"

/** A fault of a query text, with its position. */
class TextFault extends Error {}

interface Options {
  readonly fields: ReadonlyArray<string>
  readonly all: boolean
  /** `simple_query_string`: `|` and `+` are written between the clauses that they join. */
  readonly simple: boolean
  readonly place: Place
}

interface Clause {
  readonly query: Query
  readonly sign: "+" | "-" | undefined
}

const bare = /(?:\\[\s\S]|[^\s()"[\]{}:\\^~|&])+|[&|](?![&|])/uy
const deepest = 32

/** Parses a query text: `field:value`, AND, OR, NOT, `+`, `-`, parentheses, quotes, wildcards and ranges. */
class TextParser {
  readonly #text: string
  readonly #options: Options
  #at = 0
  #depth = 0

  constructor(text: string, options: Options) {
    this.#text = text
    this.#options = options
  }

  read(): Query {
    const query = this.#sequence(this.#options.fields)
    if (this.#at < this.#text.length) this.#fault("Expected the end of the text")
    return query
  }

  #fault(detail: string): never {
    throw new TextFault(`${detail} (character ${this.#at + 1} of the text)`)
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

  #sequence(fields: ReadonlyArray<string>): Query {
    this.#enter()
    const clauses: Array<Clause> = []
    for (this.#blank(); this.#at < this.#text.length && this.#text[this.#at] !== ")"; this.#blank()) {
      clauses.push(this.#or(fields))
      if (clauses.length > 1024) this.#fault("A query text has at most 1024 clauses")
    }
    this.#depth--
    const of = (sign: Clause["sign"]) => clauses.filter((clause) => clause.sign === sign).map(({ query }) => query)
    const [must, should, mustNot] = [of("+"), of(undefined), of("-")]
    if (clauses.length === 0) return { _tag: "None" }
    if (this.#options.all) return { _tag: "Bool", must: [...must, ...should], should: [], mustNot, minimum: 0 }
    if (must.length === 0 && mustNot.length === 0) return anyOf(should)
    const minimum = must.length === 0 && should.length > 0 ? 1 : 0
    return { _tag: "Bool", must, should: minimum === 0 ? [] : should, mustNot, minimum }
  }

  #or(fields: ReadonlyArray<string>): Clause {
    const first = this.#and(fields)
    const others: Array<Query> = []
    while (this.#take("||", "OR", ...(this.#options.simple ? ["|"] : []))) others.push(plain(this.#and(fields)))
    return others.length === 0 ? first : { query: anyOf([plain(first), ...others]), sign: undefined }
  }

  #and(fields: ReadonlyArray<string>): Clause {
    const first = this.#signed(fields)
    const others: Array<Query> = []
    while (this.#take("&&", "AND") || (this.#options.simple && this.#take("+"))) {
      others.push(plain(this.#signed(fields)))
    }
    return others.length === 0 ? first : { query: allOf([plain(first), ...others]), sign: undefined }
  }

  #signed(fields: ReadonlyArray<string>): Clause {
    if (this.#take("NOT", "!", "-")) {
      this.#enter()
      const inner = this.#signed(fields)
      this.#depth--
      return { query: plain(inner), sign: "-" }
    }
    const sign = this.#take("+") ? "+" : undefined
    return { query: this.#primary(fields), sign }
  }

  #primary(fields: ReadonlyArray<string>): Query {
    this.#blank()
    const character = this.#text[this.#at]
    if (character === undefined) this.#fault("Expected a clause")
    if (character === "(") return this.#group(fields)
    if (character === '"') return this.#each(fields, this.#quoted(), (field, text) => phrased(field, text))
    if (character === "[" || character === "{") return this.#range(fields)
    if (/^[<>]/.test(character) && fields.length > 0) return this.#compare(fields)
    if (character === "/") this.#fault("Regular expressions are not supported")
    bare.lastIndex = this.#at
    const [word] = bare.exec(this.#text) ?? []
    if (word === undefined) this.#fault("No clause can start with this character")
    this.#at += word.length
    if (this.#text[this.#at] === ":") {
      this.#at++
      return this.#field(unescaped(word), fields)
    }
    this.#suffix()
    return this.#word(fields, word)
  }

  #field(name: string, fields: ReadonlyArray<string>): Query {
    const fault = fieldFault(name)
    if (fault !== undefined) this.#fault(fault)
    bare.lastIndex = this.#at
    const [field] = bare.exec(this.#text) ?? []
    if (field !== undefined && this.#text[this.#at + field.length] === ":") this.#fault("A field is already named here")
    if (name !== "_exists_") return this.#primary([name])
    if (field === undefined) this.#fault("The name of a field is missing")
    this.#at += field.length
    void fields
    return { _tag: "Exists", field: unescaped(field) }
  }

  #group(fields: ReadonlyArray<string>): Query {
    this.#at++
    const query = this.#sequence(fields)
    if (this.#text[this.#at] !== ")") this.#fault("A parenthesis is not closed")
    this.#at++
    this.#suffix()
    return query
  }

  #quoted(): string {
    const found = /"((?:\\[\s\S]|[^"\\])*)"/uy
    found.lastIndex = this.#at
    const [whole, text] = found.exec(this.#text) ?? []
    if (whole === undefined || text === undefined) this.#fault("A quote is not closed")
    this.#at += whole.length
    this.#suffix()
    return unescaped(text)
  }

  /** Skips a weight, which has no effect here; proximity is not supported. */
  #suffix(): void {
    const weight = /\^\d+(\.\d+)?/y
    weight.lastIndex = this.#at
    if (weight.test(this.#text)) this.#at = weight.lastIndex
    if (this.#text[this.#at] === "~") this.#fault("Fuzzy search is not supported")
  }

  #range(fields: ReadonlyArray<string>): Query {
    const found = /([[{])\s*("[^"]*"|\S+)\s+TO\s+("[^"]*"|[^\s\]}]+)\s*([\]}])/uy
    found.lastIndex = this.#at
    const [whole, open, low = "", high = "", close] = found.exec(this.#text) ?? []
    if (whole === undefined) this.#fault("A range is written as [a TO b]")
    this.#at += whole.length
    return this.#between(fields, [open === "[" ? "gte" : "gt", low], [close === "]" ? "lte" : "lt", high])
  }

  #compare(fields: ReadonlyArray<string>): Query {
    const found = /([<>]=?)\s*("[^"]*"|(?:\\[\s\S]|[^\s()"])+)/uy
    found.lastIndex = this.#at
    const [whole, operator, limit = ""] = found.exec(this.#text) ?? []
    if (whole === undefined) this.#fault("A limit is missing")
    this.#at += whole.length
    const bound = ({ "<": "lt", "<=": "lte", ">": "gt", ">=": "gte" } as const)[operator as "<" | "<=" | ">" | ">="]
    return this.#between(fields, [bound, limit])
  }

  #between(
    fields: ReadonlyArray<string>,
    ...given: ReadonlyArray<readonly ["gt" | "gte" | "lt" | "lte", string]>
  ): Query {
    const { place } = this.#options
    this.#spend(fields, "")
    const limits = new Map(
      given
        .map(([bound, text]) => [bound, text.startsWith('"') ? text.slice(1, -1) : unescaped(text)] as const)
        .filter(([, text]) => text !== "*")
        .map(([bound, text]) => [bound, place.inside(text)] as const)
    )
    return anyOf(
      fields.map(
        (field): Query =>
          limits.size === 0
            ? { _tag: "Exists", field }
            : (ranging(field, limits, undefined, place.now) ?? { _tag: "None" })
      )
    )
  }

  /** Counts a text of the query once for each field. */
  #spend(fields: ReadonlyArray<string>, text: string): void {
    const { place } = this.#options
    if (!fields.every(() => spendPhrase(place, text))) this.#fault(tooMuchWork)
  }

  #each(fields: ReadonlyArray<string>, text: string, make: (field: string, text: string) => Query): Query {
    this.#spend(fields, text)
    return anyOf(
      fields.map((field) => (field === "_id" ? equalTo(field, [text], this.#options.place.now) : make(field, text)))
    )
  }

  #word(fields: ReadonlyArray<string>, word: string): Query {
    if (!hasWildcard(word)) {
      const { now } = this.#options.place
      return this.#each(fields, unescaped(word), (field, text) =>
        anyOf([phrased(field, text), equalTo(field, [text], now)])
      )
    }
    const fault = wildcardFault(word)
    if (fault !== undefined) this.#fault(fault)
    this.#spend(fields, word)
    return anyOf(
      fields.map((field) => {
        const whole = fitting(field, word, false)
        return whole._tag === "Exists"
          ? field === "*"
            ? ({ _tag: "All" } as const)
            : whole
          : anyOf([whole, { _tag: "Matches", field, pattern: withWordLike(word) }])
      })
    )
  }
}

const plain = ({ query, sign }: Clause): Query => (sign === "-" ? noneOf([query]) : query)

const common = [
  "query",
  "fields",
  "default_operator",
  "lenient",
  "analyze_wildcard",
  "minimum_should_match",
  "boost",
  "_name"
]

const parse = (place: Place, simple: boolean, more: ReadonlyArray<string>): Query | undefined => {
  const members = place.members([...common, ...more])
  if (members === undefined) return undefined
  const given = members.get("query")
  if (given === undefined) return place.fault('"query" is missing')
  const text = given.text()
  const fields = fieldsOf(members.get("fields") ?? members.get("default_field"))
  const all = members.get("default_operator")?.oneOf(["or", "and"]) === "and"
  for (const name of ["lenient", "analyze_wildcard", "allow_leading_wildcard"]) members.get(name)?.flag()
  members.get("minimum_should_match")?.fault("This is not supported: write AND between required clauses")
  if (text === undefined) return undefined
  try {
    return new TextParser(text, { fields, all, simple, place: given }).read()
  } catch (error) {
    if (error instanceof TextFault) return given.fault(error.message)
    throw error
  }
}

export const queryString = (place: Place) => parse(place, false, ["default_field", "allow_leading_wildcard"])
export const simpleQueryString = (place: Place) => parse(place, true, ["flags"])

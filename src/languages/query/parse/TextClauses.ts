import { all, anyOf, inFields, type Query } from "../Query.ts"
import { storable } from "../StoredText.ts"
import { type Fuzziness, fuzzyCost, mostFuzzy, near } from "../text/Fuzzy.ts"
import { RegexpFault, translated } from "../text/Regexp.ts"
import { hasWildcard, unescaped } from "../text/TextPattern.ts"
import { withWordLike } from "../text/Words.ts"
import { matched, phrased } from "./FullText.ts"
import { mostSlop } from "./Match.ts"
import { editsOf } from "./Options.ts"
import { type Bound, rangeOf } from "./Range.ts"
import { equalTo, fitting, wildcardFault } from "./Terms.ts"
import { type Dates, fieldFault, type Place, tooMuchWork } from "./ValueReader.ts"

/** A fault of a query text. */
export class TextFault extends Error {}

export interface TextOptions {
  readonly fields: ReadonlyArray<string>
  /** Whether clauses without an operator must all match. */
  readonly all: boolean
  /** How many of the optional clauses on the top level must match. */
  readonly minimum: ((count: number) => number | undefined) | undefined
  readonly dates: Dates
  readonly fuzziness: Fuzziness
  readonly slop: number
  readonly leadingWildcard: boolean
  /** The place of the text. */
  readonly place: Place
}

type Fields = ReadonlyArray<string>

/** The conditions of which the two languages of query texts consist. */
export class TextClauses {
  readonly #options: TextOptions

  constructor(options: TextOptions) {
    this.#options = options
  }

  #each(fields: Fields, cost: { readonly length: number; readonly words?: number }, make: (field: string) => Query) {
    const { place } = this.#options
    return anyOf(
      fields.map((name) => {
        if (!place.spend(cost, cost.words)) throw new TextFault(tooMuchWork)
        return inFields(name, make)
      })
    )
  }

  /** The name of a field, which may have escaped characters. */
  field(written: string): string {
    const name = unescaped(written)
    const fault = fieldFault(name)
    if (fault !== undefined) throw new TextFault(fault)
    return name
  }

  exists(name: string): Query {
    return inFields(name, (field) => ({ _tag: "Exists", field }))
  }

  phrase(fields: Fields, text: string, slop = this.#options.slop): Query {
    if (slop > mostSlop) throw new TextFault(`A slop is at most ${mostSlop}`)
    const { cost, of } = phrased(text, { dates: this.#options.dates, slop })
    return this.#each(fields, cost, of)
  }

  /** A word: values that contain it or are equal to it. With wildcards, words and whole values of this form. */
  word(fields: Fields, written: string): Query {
    if (hasWildcard(written)) return this.#wildcards(fields, written)
    const text = unescaped(written)
    const { dates } = this.#options
    const { cost, of } = phrased(text, { dates })
    return this.#each(fields, cost, (field) => anyOf([of(field), equalTo(field, [text], dates)]))
  }

  #wildcards(fields: Fields, written: string): Query {
    const isBare = /^\*+$/.test(written)
    const fault = wildcardFault(written)
    if (fault !== undefined) throw new TextFault(fault)
    if (!this.#options.leadingWildcard && !isBare && /^[*?]/.test(written)) {
      throw new TextFault("A word begins with a wildcard, which allow_leading_wildcard forbids")
    }
    return this.#each(fields, written, (field) => {
      const whole = fitting(field, written, false)
      // `*:*` is every document.
      if (isBare) return field === "*" ? all : whole
      return anyOf([whole, { _tag: "Matches", field, pattern: withWordLike(written) }])
    })
  }

  /** Words and whole values near a word. */
  fuzzy(fields: Fields, written: string, edits: string): Query {
    const text = unescaped(written)
    const given = edits === "" ? this.#options.fuzziness.edits : editsOf(edits)
    if (given === undefined) throw new TextFault("A word has at most 2 edits: word~, word~1 or word~2")
    if ([...text].length > mostFuzzy) throw new TextFault(`A fuzzy text has at most ${mostFuzzy} characters`)
    const { dates, fuzziness } = this.#options
    const asked = matched(text, { dates, all: true, minimum: () => 1, fuzzy: { ...fuzziness, edits: given } })
    const pattern = near(storable(text), { ...fuzziness, edits: given }, false)
    const length = fuzzyCost(pattern) + (asked?.cost.length ?? 0)
    return this.#each(fields, { length }, (field) =>
      anyOf([
        ...(asked === undefined ? [] : [asked.of(field)]),
        equalTo(field, [text], dates),
        { _tag: "Matches", field, pattern }
      ])
    )
  }

  /** Words and whole values that a regular expression matches. */
  regexp(fields: Fields, text: string): Query {
    try {
      const flags = new Set(["ALL"] as const)
      const [whole, word] = [false, true].map((ignoreCase) => translated(text, { ignoreCase, flags }))
      return this.#each(fields, `${whole}${word}`, (field) =>
        anyOf([
          { _tag: "Matches", field, pattern: whole ?? "" },
          { _tag: "Words", field, patterns: [word ?? ""], slop: 0 }
        ])
      )
    } catch (error) {
      if (error instanceof RegexpFault) throw new TextFault(`The regular expression is refused: ${error.message}`)
      throw error
    }
  }

  /** Values between limits, of which undefined is none. */
  range(fields: Fields, given: ReadonlyArray<readonly [Bound, string | undefined]>): Query {
    const { place, dates } = this.#options
    const limits = new Map(
      given.flatMap(([bound, text]) => (text === undefined ? [] : [[bound, place.inside(text)] as const]))
    )
    const span = { given: limits, reading: { ...dates, formats: [] }, isDate: false, place }
    return anyOf(
      fields.map((name) => {
        if (!place.spend("")) throw new TextFault(tooMuchWork)
        return rangeOf(name, span) ?? { _tag: "None" }
      })
    )
  }
}

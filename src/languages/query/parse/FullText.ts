import { allOf, anyOf, none, type Query } from "../Query.ts"
import { storable } from "../StoredText.ts"
import { type Fuzziness, fuzzyCost, mostFuzzy, near } from "../text/Fuzzy.ts"
import { exactly, startingWith } from "../text/TextPattern.ts"
import { withAnyWord, withPhrase, withWordStarting, wordsOf } from "../text/Words.ts"
import { equalTo, inNetworks } from "./Terms.ts"
import { type Dates, isNumber, valuesOf } from "./ValueReader.ts"

/** What a text of a query asks of a field. */
export interface FieldClause {
  /** What it costs for each field: see `Place.spend`. */
  readonly cost: { readonly length: number; readonly words: number }
  readonly of: (field: string) => Query
}

interface Wording {
  readonly dates: Dates
  /** The last word may be the start of one. */
  readonly openEnd?: boolean
}

/** Fields that are compared as a whole. */
const isWhole = (field: string): boolean => field === "_id" || field === "_index" || field === "@timestamp"

const whole = (field: string, text: string, { dates, openEnd = false }: Wording): Query => {
  const equal = equalTo(field, [text], dates)
  return openEnd && field !== "@timestamp" ? anyOf([equal, { _tag: "Prefix", field, prefix: text }]) : equal
}

const equal = (field: string, values: ReadonlyArray<string>): ReadonlyArray<Query> => {
  const { numbers, booleans } = valuesOf(values)
  return numbers.length + booleans.length === 0
    ? []
    : [{ _tag: "Equals", field, values: { texts: [], numbers, booleans } }]
}

/** A word of the query and how it is compared: `near` is the expression of a fuzzy one. */
interface Word {
  readonly word: string
  readonly isStart: boolean
  readonly near: string | undefined
}

/** Describes why texts cannot be searched for fuzzily; undefined when they can. */
export const fuzzyFault = (texts: ReadonlyArray<string>): string | undefined =>
  texts.some((text) => [...text].length > mostFuzzy) ? `A fuzzy text has at most ${mostFuzzy} characters` : undefined

/** One expression for whole words that any of these matches. */
const anyPattern = (patterns: ReadonlyArray<string>): string =>
  patterns.length === 1 ? patterns[0]! : `^(?:${patterns.map((pattern) => pattern.slice(1, -1)).join("|")})$`

const withSome = (field: string, words: ReadonlyArray<Word>, values: ReadonlyArray<string>): Query => {
  const same = words.filter(({ isStart, near }) => !isStart && near === undefined)
  const starts = words.filter(({ isStart }) => isStart)
  const nearby = words.flatMap(({ near }) => near ?? [])
  return anyOf([
    ...(same.length === 0
      ? []
      : [{ _tag: "Matches", field, pattern: withAnyWord(same.map(({ word }) => word)) } as const]),
    ...starts.map(({ word }) => ({ _tag: "Matches", field, pattern: withWordStarting(word) }) as const),
    // One expression for all: PostgreSQL keeps few compiled ones.
    ...(nearby.length === 0 ? [] : [{ _tag: "Words", field, patterns: [anyPattern(nearby)], slop: 0 } as const]),
    ...equal(field, values)
  ])
}

/**
 * Asks for one word of the text, all of them, or a minimum number. Numbers and booleans count as words, and a network
 * as its addresses.
 */
export const matched = (
  text: string,
  options: Wording & {
    readonly all: boolean
    readonly minimum: (count: number) => number | undefined
    readonly fuzzy?: Fuzziness | undefined
  }
): FieldClause | undefined => {
  const { all, openEnd = false, fuzzy } = options
  const given = wordsOf(text)
  const least = all ? 1 : options.minimum(given.length)
  if (least === undefined) return undefined
  const words = given.map((word, at): Word => {
    const isStart = openEnd && at === given.length - 1
    const isFuzzy = !isStart && fuzzy !== undefined && fuzzy.edits([...word].length) > 0
    return { word, isStart, near: isFuzzy ? near(storable(word), fuzzy, true) : undefined }
  })
  const distinct = [...new Map(words.map((word) => [`${word.isStart} ${word.word}`, word])).values()]
  const number = isNumber(text.trim()) ? [text.trim()] : undefined
  const one = (field: string, some: ReadonlyArray<Word>) =>
    withSome(field, some, number ?? some.map(({ word }) => word.toLowerCase()))
  const each = (field: string, some: ReadonlyArray<Word>) => some.map((word) => one(field, [word]))
  const of = (field: string): Query => {
    if (isWhole(field)) return whole(field, text, options)
    const networks = inNetworks(field, [text.trim()])
    if (words.length === 0) return networks ?? none
    const found = all
      ? allOf(each(field, distinct))
      : least <= 1
        ? one(field, distinct)
        : anyOf(each(field, words), least)
    return networks === undefined ? found : anyOf([found, networks])
  }
  const longer = distinct.reduce((sum, { near = "" }) => sum + fuzzyCost(near), 0)
  return { cost: { length: text.length + longer, words: 0 }, of }
}

/** Asks for the words of the text in sequence, or at most `slop` moves from it. */
export const phrased = (text: string, options: Wording & { readonly slop?: number }): FieldClause => {
  const { openEnd = false, slop = 0 } = options
  const words = wordsOf(text)
  const value = text.trim().toLowerCase()
  const of = (field: string): Query => {
    if (isWhole(field)) return whole(field, text, options)
    const networks = inNetworks(field, [text.trim()])
    if (words.length === 0) return networks ?? none
    const patterns = words.map((word, at) => (openEnd && at === words.length - 1 ? startingWith(word) : exactly(word)))
    return anyOf([
      slop > 0 && words.length > 1
        ? { _tag: "Words", field, patterns, slop }
        : { _tag: "Matches", field, pattern: withPhrase(words, openEnd) },
      ...(words.length === 1 || isNumber(value) ? equal(field, [value]) : []),
      ...(networks === undefined ? [] : [networks])
    ])
  }
  return { cost: { length: text.length, words: words.length }, of }
}

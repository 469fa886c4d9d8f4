import type { AddressRange } from "./Address.ts"

/**
 * A parsed query, in a few forms that every backend can evaluate exactly. Texts are in their original form; `field` is
 * a {@link FieldName}.
 */
export type Query =
  | { readonly _tag: "All" }
  | { readonly _tag: "None" }
  /** At least `minimum` of `should` match, all of `must`, none of `mustNot`. */
  | {
      readonly _tag: "Bool"
      readonly must: ReadonlyArray<Query>
      readonly should: ReadonlyArray<Query>
      readonly mustNot: ReadonlyArray<Query>
      readonly minimum: number
    }
  /** The query holds for one of the fields whose dotted name matches a pattern. In it, {@link each} is that field. */
  | { readonly _tag: "Fields"; readonly pattern: string; readonly query: Query }
  | { readonly _tag: "Ids"; readonly ids: ReadonlyArray<string> }
  | { readonly _tag: "Exists"; readonly field: FieldName }
  /** A value equals one of these. */
  | { readonly _tag: "Equals"; readonly field: FieldName; readonly values: Values }
  /** A text starts with this prefix. */
  | { readonly _tag: "Prefix"; readonly field: FieldName; readonly prefix: string }
  /** A text matches a regular expression of `TextPattern.ts`. */
  | { readonly _tag: "Matches"; readonly field: FieldName; readonly pattern: string }
  /**
   * Words of a text match these expressions, in this sequence or at most `slop` moves from it: see `flow_near` in the
   * database. The expressions match whole words.
   */
  | {
      readonly _tag: "Words"
      readonly field: FieldName
      readonly patterns: ReadonlyArray<string>
      readonly slop: number
    }
  /** A number is within the limits. */
  | { readonly _tag: "Numbers"; readonly field: FieldName; readonly limits: Limits }
  /** A text is within the limits, in the order of code points. */
  | { readonly _tag: "Texts"; readonly field: FieldName; readonly limits: Limits }
  /** A date is between `from` and `to`, inclusive, in epoch milliseconds. */
  | { readonly _tag: "Dates"; readonly field: FieldName; readonly from: number; readonly to: number }
  /** A text is an IP address in one of the ranges. */
  | { readonly _tag: "Addresses"; readonly field: FieldName; readonly ranges: ReadonlyArray<AddressRange> }

/**
 * Names a field: `a.b` is the member `b` of the object `a`, or the member `a.b`, through lists. `*` is every value of
 * the document. `_id` is the document's id and `_index` the name of its index.
 */
export type FieldName = string

/** Inside of `Fields`: the field that was found. No field of a document has this name. */
export const each: FieldName = ""

/** Values to compare with, by JSON type. Numbers are texts in JSON notation, so they can have any size. */
export interface Values {
  readonly texts: ReadonlyArray<string>
  readonly numbers: ReadonlyArray<string>
  readonly booleans: ReadonlyArray<boolean>
}

/** Limits of a range: numbers in JSON notation, or texts. */
export interface Limits {
  readonly gt?: string
  readonly gte?: string
  readonly lt?: string
  readonly lte?: string
}

export const all: Query = { _tag: "All" }
export const none: Query = { _tag: "None" }

/** All of them match. */
export const allOf = (must: ReadonlyArray<Query>): Query =>
  must.length === 1 ? must[0]! : must.length === 0 ? all : { _tag: "Bool", must, should: [], mustNot: [], minimum: 0 }

/** At least `minimum` of them match, one by default. */
export const anyOf = (should: ReadonlyArray<Query>, minimum = 1): Query =>
  should.length === 1 && minimum === 1
    ? should[0]!
    : should.length === 0
      ? none
      : { _tag: "Bool", must: [], should, mustNot: [], minimum }

export const noneOf = (mustNot: ReadonlyArray<Query>): Query => ({
  _tag: "Bool",
  must: [],
  should: [],
  mustNot,
  minimum: 0
})

/** Whether several conditions have to hold together. */
const isJoint = (query: Query): boolean =>
  query._tag === "Bool" &&
  (query.must.length > 1 || query.minimum > 1 || query.must.some(isJoint) || query.should.some(isJoint))

/**
 * A condition on the fields that a name stands for. With `*` in the name these are all fields whose dotted name it
 * matches, and the condition has to hold within one of them.
 *
 * @param make the condition on a field, without `must_not`
 */
export const inFields = (name: string, make: (field: FieldName) => Query): Query => {
  if (!name.includes("*")) return make(name)
  if (/^\*+$/.test(name)) {
    const anywhere = make("*")
    if (!isJoint(anywhere)) return anywhere
  }
  return { _tag: "Fields", pattern: name, query: make(each) }
}

/** Whether a query asks for the index of documents. */
export const asksIndex = (query: Query): boolean => {
  if (query._tag !== "Bool") return "field" in query && query.field === "_index"
  return [query.must, query.should, query.mustNot].some((some) => some.some(asksIndex))
}

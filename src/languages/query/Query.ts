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
  | { readonly _tag: "Ids"; readonly ids: ReadonlyArray<string> }
  | { readonly _tag: "Exists"; readonly field: FieldName }
  /** A value equals one of these. */
  | { readonly _tag: "Equals"; readonly field: FieldName; readonly values: Values }
  /** A text starts with this prefix. */
  | { readonly _tag: "Prefix"; readonly field: FieldName; readonly prefix: string }
  /** A text matches a regular expression of `Pattern.ts`. */
  | { readonly _tag: "Matches"; readonly field: FieldName; readonly pattern: string }
  /** A number is within the limits. */
  | { readonly _tag: "Numbers"; readonly field: FieldName; readonly limits: Limits }
  /** A text is within the limits, in the order of code points. */
  | { readonly _tag: "Texts"; readonly field: FieldName; readonly limits: Limits }
  /** A date is between `from` and `to`, inclusive, in epoch milliseconds. */
  | { readonly _tag: "Dates"; readonly field: FieldName; readonly from: number; readonly to: number }

/**
 * Names a field: `a.b` is the member `b` of the object `a`, or the member `a.b`, through lists. `*` is every value of
 * the document, `a.*` every value below `a`.
 */
export type FieldName = string

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

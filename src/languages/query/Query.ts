/**
 * What a query asks, after parsing: few forms that every backend can answer exactly. Texts are those of the documents;
 * `field` is a {@link FieldName}.
 */
export type Query =
  | { readonly _tag: "All" }
  | { readonly _tag: "None" }
  /** At least `minimum` of `should` hold, all of `must`, none of `mustNot`. */
  | {
      readonly _tag: "Bool"
      readonly must: ReadonlyArray<Query>
      readonly should: ReadonlyArray<Query>
      readonly mustNot: ReadonlyArray<Query>
      readonly minimum: number
    }
  | { readonly _tag: "Ids"; readonly ids: ReadonlyArray<string> }
  | { readonly _tag: "Exists"; readonly field: FieldName }
  /** A value is one of these. */
  | { readonly _tag: "Equals"; readonly field: FieldName; readonly values: Values }
  /** A text starts with this. */
  | { readonly _tag: "Prefix"; readonly field: FieldName; readonly prefix: string }
  /** A text fits a regular expression of `Pattern.ts`. */
  | { readonly _tag: "Matches"; readonly field: FieldName; readonly pattern: string }
  /** A number lies between the limits. */
  | { readonly _tag: "Numbers"; readonly field: FieldName; readonly limits: Limits }
  /** A text lies between the limits, in the order of code points. */
  | { readonly _tag: "Texts"; readonly field: FieldName; readonly limits: Limits }
  /** A date lies between `from` and `to`, both included: epoch milliseconds. */
  | { readonly _tag: "Dates"; readonly field: FieldName; readonly from: number; readonly to: number }

/**
 * Names a field: `a.b` is the member `b` of the object `a`, or the member `a.b`, through lists. `*` is every value of
 * the document, `a.*` every value below `a`.
 */
export type FieldName = string

/** Values to compare with, by JSON type. Numbers are their digits: a JSON number each, whatever its size. */
export interface Values {
  readonly texts: ReadonlyArray<string>
  readonly numbers: ReadonlyArray<string>
  readonly booleans: ReadonlyArray<boolean>
}

/** Limits of a range: numbers as digits, or texts. */
export interface Limits {
  readonly gt?: string
  readonly gte?: string
  readonly lt?: string
  readonly lte?: string
}

export const all: Query = { _tag: "All" }
export const none: Query = { _tag: "None" }

/** All of them hold. */
export const allOf = (must: ReadonlyArray<Query>): Query =>
  must.length === 1 ? must[0]! : must.length === 0 ? all : { _tag: "Bool", must, should: [], mustNot: [], minimum: 0 }

/** One of them holds, or `minimum` of them. */
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

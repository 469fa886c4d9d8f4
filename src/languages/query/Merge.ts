import type { Query, Values } from "./Query.ts"

/** Maximum numbers of expressions and characters of an expression that stands for several. */
const together = { patterns: 64, length: 131_072 }

const none: Values = { texts: [], numbers: [], booleans: [] }

const union = <A>(lists: ReadonlyArray<ReadonlyArray<A>>): ReadonlyArray<A> => [...new Set(lists.flat())]

/** Expressions that together match what any of these matches. */
const alternatives = (patterns: ReadonlyArray<string>): ReadonlyArray<string> => {
  const groups: Array<Array<string>> = []
  let length = 0
  for (const pattern of patterns) {
    const last = groups.at(-1)
    length += pattern.length
    if (last !== undefined && last.length < together.patterns && length <= together.length) last.push(pattern)
    else {
      groups.push([pattern])
      length = pattern.length
    }
  }
  return groups.map((group) => (group.length === 1 ? group[0]! : group.map((one) => `(?:${one})`).join("|")))
}

/** The queries of which any has to match, those of nested alternatives included. */
const flat = (queries: ReadonlyArray<Query>): ReadonlyArray<Query> =>
  queries.flatMap((query) => {
    const one = merged(query)
    const isAny = one._tag === "Bool" && one.minimum === 1 && one.must.length + one.mustNot.length === 0
    return isAny ? one.should : [one]
  })

/** The queries of which any has to match, with one comparison for all values of a field and one for its patterns. */
const anyOfThem = (queries: ReadonlyArray<Query>): ReadonlyArray<Query> => {
  const values = new Map<string, Array<Values>>()
  const patterns = new Map<string, Set<string>>()
  const others: Array<Query> = []
  for (const query of flat(queries)) {
    if (query._tag === "Equals") values.set(query.field, [...(values.get(query.field) ?? []), query.values])
    else if (query._tag === "Matches")
      patterns.set(query.field, (patterns.get(query.field) ?? new Set()).add(query.pattern))
    else others.push(query)
  }
  return [
    ...[...values].map(([field, some]): Query => {
      const of = <K extends keyof Values>(kind: K) => some.map((one) => one[kind])
      return {
        _tag: "Equals",
        field,
        values: {
          ...none,
          texts: union(of("texts")),
          numbers: union(of("numbers")),
          booleans: union(of("booleans"))
        }
      }
    }),
    ...others,
    ...[...patterns].flatMap(([field, some]) =>
      alternatives([...some]).map((pattern): Query => ({ _tag: "Matches", field, pattern }))
    )
  ]
}

/**
 * An equal query with fewer comparisons. PostgreSQL keeps 32 compiled regular expressions; a query that takes more of
 * them for each document compiles all of them for each document.
 */
export const merged = (query: Query): Query => {
  if (query._tag === "Fields") return { ...query, query: merged(query.query) }
  if (query._tag !== "Bool") return query
  const isNone = (one: Query) => one._tag === "Bool" && one.minimum === 0 && one.must.length === 0
  const must = query.must.map(merged)
  const excluded = must.filter(isNone).flatMap((one) => (one._tag === "Bool" ? one.mustNot : []))
  return {
    ...query,
    must: must.filter((one) => !isNone(one)),
    should: query.minimum === 1 ? anyOfThem(query.should) : query.should.map(merged),
    mustNot: anyOfThem([...query.mustNot, ...excluded])
  }
}

/** The regular expressions that a document may be compared with before one of them decides. */
const patternsAtOnce = (query: Query): Set<string> => {
  if (query._tag === "Matches") return new Set([query.pattern])
  // A text is divided into words by one more.
  if (query._tag === "Words") return new Set([...query.patterns, "words"])
  // The names of the fields are compared before their values.
  if (query._tag === "Fields") return patternsAtOnce(query.query).add(query.pattern)
  if (query._tag !== "Bool") return new Set()
  const all = (queries: ReadonlyArray<Query>) => new Set(queries.flatMap((one) => [...patternsAtOnce(one)]))
  // The first required clause that does not match decides.
  const groups = [...query.must.map(patternsAtOnce), all(query.should), all(query.mustNot)]
  return groups.reduce((most, one) => (one.size > most.size ? one : most))
}

/** Number of regular expressions that PostgreSQL needs at the same time for a query. */
export const expressionsOf = (query: Query): number => patternsAtOnce(merged(query)).size

import type { gateway } from "../../app/gateway.ts"
import type { State } from "./State.ts"

export type Page = Awaited<ReturnType<typeof gateway.search.search>>
export type Found = Page["documents"][number]
export type Index = Awaited<ReturnType<typeof gateway.search.indices>>[number]

/** A query in Elasticsearch's language. */
export type Query = Readonly<Record<string, unknown>>

/** The fault in a JSON query, with its position. */
export class QueryFault extends Error {
  /** Starts at 0. */
  readonly at: number

  constructor(message: string, at: number) {
    super(message)
    this.at = at
  }
}

const isJson = (text: string): boolean => text.trimStart().startsWith("{")

const clauseOf = (text: string): Query => {
  try {
    return JSON.parse(text) as Query
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : String(cause)
    const place = /position (\d+)/.exec(message)?.[1]
    throw new QueryFault(message, place === undefined ? text.length : Number(place))
  }
}

/** The index pattern of the search. */
export const patternOf = (tenant: string, { index }: Pick<State, "index">): string => index || `${tenant}-*`

/** The query of a search: its text, filters and range combined. Throws a `QueryFault`. */
export const queryOf = (
  { q, from, to, filters }: Pick<State, "q" | "from" | "to" | "filters">,
  zone: string
): Query => {
  const terms = (isNot: boolean) =>
    filters.filter((one) => one.isNot === isNot).map(({ field, value }) => ({ term: { [field]: value } }))
  const range = { ...(from === "" ? {} : { gte: from }), ...(to === "" ? {} : { lt: to }) }
  const text = q.trim()
  const filter = [
    ...(text === "" ? [] : isJson(text) ? [clauseOf(text)] : [{ query_string: { query: q, time_zone: zone } }]),
    ...(from === "" && to === "" ? [] : [{ range: { "@timestamp": { ...range, time_zone: zone } } }]),
    ...terms(false)
  ]
  const out = terms(true)
  if (filter.length === 0 && out.length === 0) return {}
  return { bool: { ...(filter.length === 0 ? {} : { filter }), ...(out.length === 0 ? {} : { must_not: out }) } }
}

/** Documents per page. */
export const pageSize = 200

/** The request for a page. The request for the first page also counts. */
export const requestOf = (tenant: string, state: State, zone: string) => ({
  index: patternOf(tenant, state),
  query: queryOf(state, zone),
  size: pageSize,
  sort: [{ [state.sort.id]: state.sort.desc ? "desc" : "asc" }],
  ...(state.columns.length === 0 ? {} : { fields: [...new Set(["@timestamp", ...state.columns])] })
})

const names = (pattern: string): ReadonlyArray<string> => pattern.split(",").map((one) => one.trim())
const expression = (pattern: string): RegExp =>
  new RegExp(
    `^${pattern
      .replace(/[.+^${}()|[\]\\]/g, "\\$&")
      .replaceAll("*", ".*")
      .replaceAll("?", ".")}$`
  )

/** The indices that a pattern selects, by the gateway's rules. */
export const selected = (pattern: string, indices: ReadonlyArray<Index>): ReadonlyArray<Index> => {
  const out = names(pattern)
    .filter((one) => one.startsWith("-"))
    .map((one) => expression(one.slice(1)))
  const wanted = names(pattern)
    .filter((one) => one !== "" && !one.startsWith("-"))
    .map(expression)
  return indices.filter(({ name }) => wanted.some((one) => one.test(name)) && !out.some((one) => one.test(name)))
}

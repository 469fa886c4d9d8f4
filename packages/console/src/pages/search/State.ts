import { useMemo, useSyncExternalStore } from "react"
import { decoded } from "../../app/decoded.ts"
import { go, useQuery } from "../../app/location.ts"
import type { Order } from "../../parts/Table.tsx"

export type Plain = string | number | boolean

/** A field that must, or must not, have exactly this value. */
export interface Filter {
  readonly field: string
  readonly value: Plain
  readonly isNot: boolean
}

/** A search and its presentation, all of which is in the address. */
export interface State {
  /** An index or a pattern; empty for all indices of the tenant. */
  readonly index: string
  /** A query text, or a query in JSON. */
  readonly q: string
  /** Date math or ISO 8601; empty for no limit. */
  readonly from: string
  readonly to: string
  readonly filters: ReadonlyArray<Filter>
  /** The fields that are shown as columns; if there are none, whole documents are shown. */
  readonly columns: ReadonlyArray<string>
  readonly sort: Order
  /** `<index>/<id>` of the open document. */
  readonly doc: string
}

export const newest: Order = { id: "@timestamp", desc: true }

const isPlain = (value: unknown): value is Plain => ["string", "number", "boolean"].includes(typeof value)

const filtersOf = (text: string): ReadonlyArray<Filter> => {
  if (text === "") return []
  try {
    const found: unknown = JSON.parse(text)
    if (!Array.isArray(found)) return []
    return found.flatMap((one: unknown) => {
      if (!Array.isArray(one)) return []
      const [field, value, isNot] = one as ReadonlyArray<unknown>
      return typeof field === "string" && isPlain(value) ? [{ field, value, isNot: isNot === 1 }] : []
    })
  } catch {
    return []
  }
}

const filtersText = (filters: ReadonlyArray<Filter>): string =>
  filters.length === 0
    ? ""
    : JSON.stringify(filters.map(({ field, value, isNot }) => (isNot ? [field, value, 1] : [field, value])))

const columnsOf = (text: string): ReadonlyArray<string> => (text === "" ? [] : text.split(",").map(decoded))
const columnsText = (columns: ReadonlyArray<string>): string =>
  columns.map((name) => name.replace(/[%,]/g, encodeURIComponent)).join(",")

const sortOf = (text: string): Order =>
  text === "" ? newest : text.startsWith("-") ? { id: text.slice(1), desc: true } : { id: text, desc: false }
const sortText = ({ id, desc }: Order): string =>
  id === newest.id && desc === newest.desc ? "" : `${desc ? "-" : ""}${id}`

const parametersOf = (part: Partial<State>): Readonly<Record<string, string>> => ({
  ...(part.index === undefined ? {} : { index: part.index }),
  ...(part.q === undefined ? {} : { q: part.q }),
  ...(part.from === undefined ? {} : { from: part.from }),
  ...(part.to === undefined ? {} : { to: part.to }),
  ...(part.filters === undefined ? {} : { filters: filtersText(part.filters) }),
  ...(part.columns === undefined ? {} : { columns: columnsText(part.columns) }),
  ...(part.sort === undefined ? {} : { sort: sortText(part.sort) }),
  ...(part.doc === undefined ? {} : { doc: part.doc })
})

/** A partial search as the query of an address, for links. */
export const queryOf = (part: Partial<State>): Readonly<Record<string, string>> => parametersOf(part)

export type Change = (part: Partial<State>, how?: "push" | "replace") => void

const change: Change = (part, how = "push") => {
  const parameters = new URLSearchParams(location.search)
  for (const [name, value] of Object.entries(parametersOf(part))) {
    if (value === "") parameters.delete(name)
    else parameters.set(name, value)
  }
  const made = parameters.toString()
  const search = made === "" ? "" : `?${made}`
  if (search !== location.search) go(location.pathname + search, how)
}

const zoneOf = () => new Intl.DateTimeFormat().resolvedOptions().timeZone

/** The reader's time zone. */
export const useZone = (): string => useSyncExternalStore(() => () => {}, zoneOf)

/** The search of the address, and a function that changes parts of it. */
export const useSearch = (): readonly [State, Change] => {
  const [index] = useQuery("index")
  const [q] = useQuery("q")
  const [from] = useQuery("from")
  const [to] = useQuery("to")
  const [filters] = useQuery("filters")
  const [columns] = useQuery("columns")
  const [sort] = useQuery("sort")
  const [doc] = useQuery("doc")
  const state = useMemo(
    () => ({ index, q, from, to, filters: filtersOf(filters), columns: columnsOf(columns), sort: sortOf(sort), doc }),
    [index, q, from, to, filters, columns, sort, doc]
  )
  return [state, change]
}

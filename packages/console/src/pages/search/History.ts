import { useSyncExternalStore } from "react"
import { stored } from "../../app/stored.ts"

/** A past search: the query of its address. */
export interface Past {
  readonly tenant: string
  readonly search: string
  readonly at: number
}

const most = 50

const isPast = (value: unknown): value is Past => {
  const { tenant, search, at } = Object(value) as Partial<Past>
  return typeof tenant === "string" && typeof search === "string" && typeof at === "number"
}

const kept = stored<ReadonlyArray<Past>>("searches", [], (value) =>
  Array.isArray(value) ? value.filter(isPast).slice(0, most) : undefined
)

export const usePast = (): ReadonlyArray<Past> => useSyncExternalStore(kept.subscribe, kept.get)

const isSame = (one: Past, tenant: string, search: string) => one.tenant === tenant && one.search === search

/** Stores a search as the latest. */
export const remember = (tenant: string, search: string): void => {
  if (search === "" || isSame(kept.get()[0] ?? { tenant: "", search: "", at: 0 }, tenant, search)) return
  kept.set(
    [{ tenant, search, at: Date.now() }, ...kept.get().filter((one) => !isSame(one, tenant, search))].slice(0, most)
  )
}

export const forget = (tenant: string, search?: string): void =>
  kept.set(kept.get().filter((one) => one.tenant !== tenant || (search !== undefined && one.search !== search)))

import { useSyncExternalStore } from "react"
import { consolePath } from "./base.ts"
import { decoded } from "./decoded.ts"
import { useMounted } from "./mounted.ts"
import { listeners } from "./store.ts"

const { tell, subscribe } = listeners()
let isBack = false
addEventListener("popstate", () => {
  isBack = true
  tell()
})

/** Whether the browser's way back or forward has led here. */
export const isReturn = (): boolean => isBack

/** The parts of the path below `/console/`, decoded: none on the front page. */
export const usePath = (): ReadonlyArray<string> => {
  const path = useSyncExternalStore(subscribe, () => location.pathname)
  const rest = path.slice(consolePath.length).replace(/\/$/, "")
  return rest === "" ? [] : rest.split("/").map(decoded)
}

/** The parameter of an address that names the tenant. */
const ofTenant = "tenant"

/**
 * The address of a page, and of what it shows: `addressOf(["flowlines", "web-logs"], { view: "text" })`. It names the
 * tenant of the present address, so that it leads everybody there.
 */
export const addressOf = (
  path: ReadonlyArray<string>,
  query: Readonly<Record<string, string | undefined>> = {}
): string => {
  const parameters = new URLSearchParams()
  const all = { [ofTenant]: new URLSearchParams(location.search).get(ofTenant) ?? "", ...query }
  for (const [name, value] of Object.entries(all)) if (value) parameters.set(name, value)
  const search = parameters.toString()
  return consolePath + path.map(encodeURIComponent).join("/") + (search === "" ? "" : `?${search}`)
}

/**
 * Navigates to an address of the console without reloading the document.
 *
 * @param how `replace` adds no entry to the browser's history: for changes at every key
 */
export const go = (address: string, how: "push" | "replace" = "push"): void => {
  if (how === "push") {
    isBack = false
    history.pushState(null, "", address)
  } else history.replaceState(history.state, "", address)
  tell()
}

/**
 * A query parameter of the address, and its setter; `""` removes it. The setter does nothing when the component has left
 * the page: the address is one of another page then.
 */
export const useQuery = (name: string): readonly [string, (value: string, how?: "push" | "replace") => void] => {
  const search = useSyncExternalStore(subscribe, () => location.search)
  const value = new URLSearchParams(search).get(name) ?? ""
  const isMounted = useMounted()
  const set = (next: string, how: "push" | "replace" = "replace") => {
    if (!isMounted.current) return
    const parameters = new URLSearchParams(location.search)
    if (next === "") parameters.delete(name)
    else parameters.set(name, next)
    const made = parameters.toString()
    go(location.pathname + (made === "" ? "" : `?${made}`) + location.hash, how)
  }
  return [value, set]
}

const placeNow = (): string => `${location.pathname} ${new URLSearchParams(location.search).get(ofTenant) ?? ""}`

/**
 * Notes the page that is shown now. The returned function says whether it still is: what an action leads to must not take
 * a reader away who has gone elsewhere while it was under way.
 */
export const staying = (): (() => boolean) => {
  const place = placeNow()
  return () => place === placeNow()
}

/** The tenant that the address names; empty if it names none, as those of former versions. */
export const useNamedTenant = (): string => useQuery(ofTenant)[0]

/**
 * Names a tenant in the address of the same page, as its first parameter; `""` removes it.
 *
 * @param how `push`: the browser's way back leads to the former tenant
 */
export const nameTenant = (tenant: string, how: "push" | "replace"): void => {
  const parameters = new URLSearchParams(location.search)
  parameters.delete(ofTenant)
  const search = new URLSearchParams([...(tenant === "" ? [] : [[ofTenant, tenant]]), ...parameters]).toString()
  const address = location.pathname + (search === "" ? "" : `?${search}`) + location.hash
  // The page may have a state in the history, by which it knows its own fragment.
  if (how === "push") history.pushState(history.state, "", address)
  else history.replaceState(history.state, "", address)
  tell()
}

import { useEffect, useRef, useState, useSyncExternalStore } from "react"
import { answering, gateway, useReachable } from "./gateway.ts"
import { nameTenant, useNamedTenant } from "./location.ts"
import { isNeeded, refreshed, sessionNow, useRights, useSession, wasAsked } from "./login.ts"
import { stored, storedInTab } from "./stored.ts"

const namePattern = /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/

/** Whether a tenant can have this name. No other text of an address may become part of a path of the gateway. */
const isTenantName = (name: string): boolean => namePattern.test(name)

const mostRecent = 8

// For addresses that name no tenant. Another tab may show another one: what is typed here is meant for this one.
const chosen = storedInTab<string>("tenant", "", (value) =>
  typeof value === "string" && isTenantName(value) ? value : undefined
)

const recents = stored<ReadonlyArray<string>>("tenants", [], (value) =>
  Array.isArray(value) ? value.filter((name) => typeof name === "string" && isTenantName(name)) : undefined
)

/** The names of the tenants that the reader may see; undefined if every name may be tried. */
const useNames = (): ReadonlyArray<string> | undefined => {
  const session = useRights()
  return session?.authentication ? session.tenants.map(({ name }) => name) : undefined
}

/** The tenant that the pages show; empty until it is known, or if the reader may not see that of the address. */
export const useTenant = (): string => {
  const named = useNamedTenant()
  const kept = useSyncExternalStore(chosen.subscribe, chosen.get)
  const names = useNames()
  const tenant = named === "" ? kept : named
  // Another user of this browser may have chosen a tenant that this one may not see.
  return isTenantName(tenant) && (names === undefined || names.includes(tenant)) ? tenant : ""
}

/**
 * Keeps the tenant and the address alike: the address comes to name the tenant, and the tab keeps the tenant of its
 * address. Without either, it takes the gateway's default. For the frame, which uses it once.
 *
 * @returns the tenant that the address names if there is none of that name for this reader
 */
export const useTenantOfAddress = (): string | undefined => {
  const named = useNamedTenant()
  const tenant = useTenant()
  const session = useSession()
  const names = useNames()
  const isWaiting = isNeeded(session) || names?.length === 0
  const list = names?.join(" ")
  const shown = useRef("")
  if (tenant !== "") shown.current = tenant
  // When the next user of an open page may not see its tenant, the page goes on in one of that user.
  const isLink = named !== "" && named !== shown.current
  // The session of an earlier visit may not have the tenant yet.
  const [isAsked, setAsked] = useState(wasAsked)
  useEffect(() => void refreshed.then(() => setAsked(true)), [])
  const isReachable = useReachable()
  useEffect(() => {
    if (tenant === "" || isWaiting) return
    if (named === "") nameTenant(tenant, "replace")
    else if (chosen.get() !== tenant) chosen.setHere(tenant)
  }, [named, tenant, isWaiting])
  useEffect(() => {
    // A gateway that was away at first is asked when it is back.
    if (tenant !== "" || isLink || isWaiting || !isReachable) return
    let isOver = false
    const all = list?.split(" ")
    const choose = ({ tenant: found }: { readonly tenant: string }) => {
      if (!isOver) chooseTenant(all === undefined || all.includes(found) ? found : (all[0] ?? found), "replace")
    }
    void refreshed.then(() => {
      if (!isOver && !isNeeded(sessionNow())) answering(() => gateway.platform.tenant()).then(choose, () => {})
    })
    return () => {
      isOver = true
    }
  }, [tenant, isLink, list, isWaiting, isReachable])
  return isLink && tenant === "" && !isWaiting && isAsked ? named : undefined
}

export const useRecentTenants = (): ReadonlyArray<string> => useSyncExternalStore(recents.subscribe, recents.get)

/**
 * Shows a tenant in this tab.
 *
 * @param how `push`: the browser's way back leads to the former tenant
 */
export const chooseTenant = (name: string, how: "push" | "replace" = "push"): void => {
  chosen.set(name)
  recents.set([name, ...recents.get().filter((other) => other !== name)].slice(0, mostRecent))
  nameTenant(name, how)
}

import { useEffect, useSyncExternalStore } from "react"
import { answering, gateway } from "./gateway.ts"
import { isNeeded, refreshed, sessionNow, useSession } from "./login.ts"
import { stored, storedInTab } from "./stored.ts"

const namePattern = /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/

/** Whether a tenant can have this name. */
const isTenantName = (name: string): boolean => namePattern.test(name)

const mostRecent = 8

// Another tab may show another tenant: what is typed here is meant for this one.
const chosen = storedInTab<string>("tenant", "", (value) =>
  typeof value === "string" && isTenantName(value) ? value : undefined
)

const recents = stored<ReadonlyArray<string>>("tenants", [], (value) =>
  Array.isArray(value) ? value.filter((name) => typeof name === "string" && isTenantName(name)) : undefined
)

/** The tenant that the pages show; empty until the gateway has named its default. */
export const useTenant = (): string => {
  const kept = useSyncExternalStore(chosen.subscribe, chosen.get)
  const session = useSession()
  const names = session?.authentication ? session.tenants.map(({ name }) => name) : undefined
  // Another user of this browser may have chosen a tenant that this one may not see.
  const tenant = names === undefined || names.includes(kept) ? kept : ""
  const isWaiting = isNeeded(session) || names?.length === 0
  const list = names?.join(" ")
  useEffect(() => {
    if (tenant !== "" || isWaiting) return
    let isOver = false
    const all = list?.split(" ")
    const choose = ({ tenant: found }: { readonly tenant: string }) => {
      if (!isOver) chooseTenant(all === undefined || all.includes(found) ? found : (all[0] ?? found))
    }
    void refreshed.then(() => {
      if (!isOver && !isNeeded(sessionNow())) answering(() => gateway.platform.tenant()).then(choose, () => {})
    })
    return () => {
      isOver = true
    }
  }, [tenant, list, isWaiting])
  return tenant
}

export const useRecentTenants = (): ReadonlyArray<string> => useSyncExternalStore(recents.subscribe, recents.get)

export const chooseTenant = (name: string): void => {
  chosen.set(name)
  recents.set([name, ...recents.get().filter((other) => other !== name)].slice(0, mostRecent))
}

import { useEffect, useSyncExternalStore } from "react"

let current = ""
const listeners = new Set<() => void>()

const set = (title: string): void => {
  current = title
  for (const listener of listeners) listener()
}

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Names what the page shows, in the title of the window: a flowline, a view. */
export const useTitle = (title: string): void => {
  useEffect(() => {
    set(title)
    return () => set("")
  }, [title])
}

/** What the page has named; empty where that is the page itself. */
export const useCurrentTitle = (): string => useSyncExternalStore(subscribe, () => current)

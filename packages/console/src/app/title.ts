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

/** Puts the name of what the page shows, such as a flowline or a view, into the window's title. */
export const useTitle = (title: string): void => {
  useEffect(() => {
    set(title)
    return () => set("")
  }, [title])
}

/** The name that the page has set; empty if it set none. */
export const useCurrentTitle = (): string => useSyncExternalStore(subscribe, () => current)

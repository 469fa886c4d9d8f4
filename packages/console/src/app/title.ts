import { useEffect, useSyncExternalStore } from "react"
import { store } from "./store.ts"

const current = store("")

/** Puts the name of what the page shows, such as a flowline or a view, into the window's title. */
export const useTitle = (title: string): void => {
  useEffect(() => {
    current.set(title)
    return () => current.set("")
  }, [title])
}

/** The name that the page has set; empty if it set none. */
export const useCurrentTitle = (): string => useSyncExternalStore(current.subscribe, current.get)

import { useEffect, useSyncExternalStore } from "react"
import { store } from "./store.ts"

const current = store("")

/** Puts the names of what the page shows, such as a view and its flowline, into the window's title. */
export const useTitle = (...names: ReadonlyArray<string>): void => {
  const title = names.join("\n")
  useEffect(() => {
    current.set(title)
    return () => current.set("")
  }, [title])
}

/** The names that the page has set. */
export const useCurrentTitle = (): ReadonlyArray<string> =>
  useSyncExternalStore(current.subscribe, current.get).split("\n")

import { useEffect, useSyncExternalStore } from "react"
import { store } from "../../app/store.ts"

const count = store(0)

/** Notifies views that the reader has changed something, so that they load again. */
export const changed = (): void => count.set(count.get() + 1)

/** Number of changes that the reader has made in this tab. */
export const useChanges = (): number => useSyncExternalStore(count.subscribe, count.get)

/** Reloads after a change by the reader; the old value stays visible until then. */
export const useAgainOnChange = (again: () => void): void => {
  const changes = useChanges()
  useEffect(() => {
    if (changes > 0) again()
  }, [changes, again])
}

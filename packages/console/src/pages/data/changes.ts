import { useEffect, useSyncExternalStore } from "react"

let count = 0
const listeners = new Set<() => void>()

/** Notifies views that the reader has changed something, so that they load again. */
export const changed = (): void => {
  count += 1
  for (const listener of listeners) listener()
}

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Number of changes that the reader has made in this tab. */
export const useChanges = (): number => useSyncExternalStore(subscribe, () => count)

/** Reloads after a change by the reader; the old value stays visible until then. */
export const useAgainOnChange = (again: () => void): void => {
  const changes = useChanges()
  useEffect(() => {
    if (changes > 0) again()
  }, [changes, again])
}

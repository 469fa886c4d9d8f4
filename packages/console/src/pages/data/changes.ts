import { useEffect, useSyncExternalStore } from "react"

let count = 0
const listeners = new Set<() => void>()

/** Tells what is shown that the reader has changed something, so that it is read again. */
export const changed = (): void => {
  count += 1
  for (const listener of listeners) listener()
}

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Counts the changes that the reader has made in this tab. */
export const useChanges = (): number => useSyncExternalStore(subscribe, () => count)

/** Reads again what is shown, and keeps it until then, when the reader has changed something. */
export const useAgainOnChange = (again: () => void): void => {
  const changes = useChanges()
  useEffect(() => {
    if (changes > 0) again()
  }, [changes, again])
}

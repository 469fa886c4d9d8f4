import { useEffect, useSyncExternalStore } from "react"

/** A keyboard shortcut and its description. */
export interface KeyHelp {
  /** As shown to users: `Enter`, `↑ ↓`. */
  readonly keys: string
  readonly does: string
}

let known: ReadonlyArray<ReadonlyArray<KeyHelp>> = []
let all: ReadonlyArray<KeyHelp> = []
const listeners = new Set<() => void>()

const update = (lists: ReadonlyArray<ReadonlyArray<KeyHelp>>): void => {
  known = lists
  // A component that is mounted twice is listed once.
  all = [...new Map(lists.flat().map((one) => [`${one.keys} ${one.does}`, one])).values()]
  for (const listener of listeners) listener()
}

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Lists a component's shortcuts while it is mounted. The list has to be a constant. */
export const useKeys = (keys: ReadonlyArray<KeyHelp>): void => {
  useEffect(() => {
    update([...known, keys])
    return () => {
      const at = known.indexOf(keys)
      update(known.filter((_, index) => index !== at))
    }
  }, [keys])
}

/** The shortcuts of the mounted components. */
export const useKnownKeys = (): ReadonlyArray<KeyHelp> => useSyncExternalStore(subscribe, () => all)

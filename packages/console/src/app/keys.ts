import { useEffect, useSyncExternalStore } from "react"

/** Keys, and what they do. */
export interface KeyHelp {
  /** As the reader knows them: `Enter`, `↑ ↓`. */
  readonly keys: string
  readonly does: string
}

let known: ReadonlyArray<ReadonlyArray<KeyHelp>> = []
let all: ReadonlyArray<KeyHelp> = []
const listeners = new Set<() => void>()

const update = (lists: ReadonlyArray<ReadonlyArray<KeyHelp>>): void => {
  known = lists
  // A part that is there twice is told once.
  all = [...new Map(lists.flat().map((one) => [`${one.keys} ${one.does}`, one])).values()]
  for (const listener of listeners) listener()
}

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Tells the keys of a part of the page for as long as it is shown. The list has to be a constant. */
export const useKeys = (keys: ReadonlyArray<KeyHelp>): void => {
  useEffect(() => {
    update([...known, keys])
    return () => {
      const at = known.indexOf(keys)
      update(known.filter((_, index) => index !== at))
    }
  }, [keys])
}

/** The keys of what is shown now. */
export const useKnownKeys = (): ReadonlyArray<KeyHelp> => useSyncExternalStore(subscribe, () => all)

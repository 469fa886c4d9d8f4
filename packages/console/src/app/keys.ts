import { useEffect, useRef, useSyncExternalStore } from "react"
import { common } from "../texts/en.ts"
import { store } from "./store.ts"

/** A keyboard shortcut and its description. */
export interface KeyHelp {
  /** As shown to users: `Enter`, `↑ ↓`. */
  readonly keys: string
  readonly does: string
}

let known: ReadonlyArray<ReadonlyArray<KeyHelp>> = []
const all = store<ReadonlyArray<KeyHelp>>([])

const update = (lists: ReadonlyArray<ReadonlyArray<KeyHelp>>): void => {
  known = lists
  // A component that is mounted twice is listed once.
  all.set([...new Map(lists.flat().map((one) => [`${one.keys} ${one.does}`, one])).values()])
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
export const useKnownKeys = (): ReadonlyArray<KeyHelp> => useSyncExternalStore(all.subscribe, all.get)

/** Saves by the usual key, wherever the focus is. */
export const useSaveKey = (save: () => void): void => {
  useKeys(common.saveKeys)
  const latest = useRef(save)
  latest.current = save
  useEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      if (event.key !== "s" || !(event.ctrlKey || event.metaKey) || event.altKey) return
      event.preventDefault()
      latest.current()
    }
    addEventListener("keydown", pressed)
    return () => removeEventListener("keydown", pressed)
  }, [])
}

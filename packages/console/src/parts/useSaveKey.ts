import { useEffect, useRef } from "react"
import { useKeys } from "../app/keys.ts"
import { common } from "../texts/en.ts"

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

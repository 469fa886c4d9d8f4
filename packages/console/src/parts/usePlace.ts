import { type RefObject, useEffect, useLayoutEffect, useRef, useState } from "react"
import { isReturn } from "../app/location.ts"

interface Place<A> {
  readonly state: A
  readonly top: number
}

/** Where readers were in tables when they left them, by address and label. */
const left = new Map<string, Place<unknown>>()

/**
 * Where the reader was in a table, if the browser's way back or forward leads to it again: its state then, and the
 * scrolling, as soon as there are rows. `keep` is called with each state.
 */
export const usePlace = <A>(label: string, scroller: RefObject<HTMLElement | null>, rows: number) => {
  const [place] = useState(() => (isReturn() ? left.get(location.href + label) : undefined) as Place<A> | undefined)
  const now = useRef<{ key: string; state: A | undefined }>({ key: "", state: place?.state })
  const isThere = useRef(place === undefined)
  // After the virtual rows have put the table at its beginning.
  useEffect(() => {
    if (isThere.current || rows === 0 || scroller.current === null) return
    isThere.current = true
    scroller.current.scrollTop = place!.top
  }, [rows, scroller, place])
  // Filters change the address without leaving the table.
  useEffect(() => {
    now.current.key = location.href + label
  })
  useLayoutEffect(
    () => () => {
      const { key, state } = now.current
      if (state !== undefined) left.set(key, { state, top: scroller.current?.scrollTop ?? 0 })
    },
    [scroller]
  )
  const keep = (state: A) => {
    now.current.state = state
  }
  return { kept: place?.state, keep }
}

import { type RefObject, useCallback, useEffect, useRef, useState } from "react"

/** Height in pixels that every browser supports. With more rows, a pixel of the scroll bar stands for more than one. */
const mostPixels = 12_000_000
/** Rows that are rendered before and after the visible ones. */
const beyond = 12

export interface Window {
  readonly first: number
  readonly end: number
  /** Height of the scrolled content in pixels. */
  readonly height: number
  readonly topOf: (row: number) => number
  readonly scrollTo: (row: number) => void
}

/**
 * The visible rows, out of any number of rows of the same height. The content is at most as high as browsers support.
 */
export const useWindow = (scroller: RefObject<HTMLElement | null>, count: number, rowHeight: number): Window => {
  const [{ top, seen }, setView] = useState({ top: 0, seen: 0 })
  useEffect(() => {
    const element = scroller.current
    if (element === null) return undefined
    const look = () => setView({ top: element.scrollTop, seen: element.clientHeight })
    look()
    element.addEventListener("scroll", look, { passive: true })
    const observer = new ResizeObserver(look)
    observer.observe(element)
    return () => {
      element.removeEventListener("scroll", look)
      observer.disconnect()
    }
  }, [scroller])

  const all = count * rowHeight
  const height = Math.min(all, mostPixels)
  /** Pixels of rows per pixel of the scroll bar. */
  const scale = height > seen ? (all - seen) / (height - seen) : 1
  const shown = Math.min(top, Math.max(0, height - seen))
  const from = shown * scale
  const first = Math.max(0, Math.floor(from / rowHeight) - beyond)
  const end = Math.min(count, Math.ceil((from + seen) / rowHeight) + beyond)
  const at = useRef({ scale, seen, top })
  at.current = { scale, seen, top }
  const scrollTo = useCallback(
    (row: number) => {
      const element = scroller.current
      if (element === null || row < 0) return
      const { scale } = at.current
      const seen = element.clientHeight
      const begin = row * rowHeight
      const from = element.scrollTop * scale
      if (begin < from) element.scrollTop = begin / scale
      else if (begin + rowHeight > from + seen) element.scrollTop = Math.ceil((begin + rowHeight - seen) / scale)
    },
    [scroller, rowHeight]
  )
  return { first, end, height, topOf: (row) => row * rowHeight - from + shown, scrollTo }
}

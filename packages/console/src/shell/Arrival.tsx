import { useEffect, useRef, useState } from "react"
import { usePath } from "../app/location.ts"
import { useCurrentTitle } from "../app/title.ts"
import look from "../parts/parts.module.css"
import { shell } from "../texts/en.ts"
import { takesText } from "./takesText.ts"

/** Milliseconds without another title after which a title is announced. */
const settles = 250
/** Keys that change no text. */
const passing = new Set(["Tab", "Shift", "Control", "Alt", "Meta"])

/**
 * Does what a browser does after loading a document, for pages that are shown without loading: sets the window's title,
 * announces the page to screen readers, and moves the keyboard focus to the content.
 */
export const Arrival = ({ page }: { readonly page: string }) => {
  const path = usePath()
  const shown = useCurrentTitle()
  const title = [...new Set([...shown, page, shell.product])].filter((part) => part !== "").join(" · ")
  const place = path.join("/")
  const before = useRef(place)
  const isArriving = useRef(false)
  const [said, setSaid] = useState("")

  // What is typed into a page may change its title, and is no arrival.
  useEffect(() => {
    const end = (event: KeyboardEvent) => {
      if (takesText(event) && !passing.has(event.key)) isArriving.current = false
    }
    addEventListener("keydown", end, { capture: true })
    return () => removeEventListener("keydown", end, { capture: true })
  }, [])

  useEffect(() => {
    document.title = title
    // The browser announces the first page.
    if (before.current !== place) isArriving.current = true
    if (!isArriving.current) return undefined
    // Not before the page has put its names in place of those of the former one.
    const timer = setTimeout(() => setSaid(title), settles)
    return () => clearTimeout(timer)
  }, [title, place])

  useEffect(() => {
    const [from] = before.current.split("/")
    if (before.current === place) return
    before.current = place
    const isLost = document.activeElement === null || document.activeElement === document.body
    // A view of the same page leaves the focus, unless the focused element has disappeared.
    if (from === place.split("/")[0] && !isLost) return
    const main = document.getElementById("main")
    main?.focus({ preventScroll: true })
    scrollTo(0, 0)
  }, [place])

  return (
    <div role="status" className={look.hidden}>
      {said}
    </div>
  )
}

import { useEffect, useRef, useState } from "react"
import { usePath } from "../app/location.ts"
import { useCurrentTitle } from "../app/title.ts"
import look from "../parts/parts.module.css"
import { shell } from "../texts/en.ts"

/**
 * Does what a browser does after loading a document, for pages that are shown without loading: sets the window's title,
 * announces the page to screen readers, and moves the keyboard focus to the content.
 */
export const Arrival = ({ page }: { readonly page: string }) => {
  const path = usePath()
  const shown = useCurrentTitle()
  const title = [shown === page ? "" : shown, page, shell.product].filter((part) => part !== "").join(" · ")
  const place = path.join("/")
  const before = useRef(place)
  const [said, setSaid] = useState("")

  useEffect(() => {
    document.title = title
    // The browser announces the first page. Typing into a page does not change the path.
    if (before.current !== place) setSaid(title)
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

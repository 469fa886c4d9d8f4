import { useEffect, useRef, useState } from "react"
import { usePath } from "../app/location.ts"
import { useCurrentTitle } from "../app/title.ts"
import look from "../parts/parts.module.css"
import { shell } from "../texts/en.ts"

/**
 * What a document does when it is loaded, for pages that are shown without that: names the window, tells those who
 * listen to the page where they are, and lets the keyboard go on from the content.
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
    // The first page is told by the browser. What is typed into a page changes no path.
    if (before.current !== place) setSaid(title)
  }, [title, place])

  useEffect(() => {
    const [from] = before.current.split("/")
    if (before.current === place) return
    before.current = place
    const isLost = document.activeElement === null || document.activeElement === document.body
    // A view of the same page keeps the focus where it is, unless it has taken away what had it.
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

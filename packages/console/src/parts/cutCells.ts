import type { PointerEvent } from "react"

/** UTF-16 units up to which the whole text of a cell is shown: a longer one, such as a document, would cover the page. */
const longest = 500

/** Shows the whole text of a table's cell that is cut off while the pointer is on it. */
export const showCutCell = ({ target }: PointerEvent): void => {
  const cell = target instanceof Element ? target.closest<HTMLElement>('[role="gridcell"], [role="rowheader"]') : null
  if (cell === null) return
  const text = cell.textContent
  if (cell.scrollWidth <= cell.clientWidth || text.length > longest) return
  cell.title = text
  // The text may change, and a title would remain.
  cell.addEventListener("pointerleave", () => cell.removeAttribute("title"), { once: true })
}

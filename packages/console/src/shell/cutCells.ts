/** What may be cut off: cells of tables, and the streams in a picture of a DAG. */
const cells = '[role="gridcell"], [role="rowheader"], .react-flow__edgelabel-renderer span'
/** UTF-16 units up to which the whole text of a cell is shown: a longer one, such as a document, would cover the page. */
const longest = 500

const cellOf = ({ target }: MouseEvent): HTMLElement | null =>
  target instanceof Element ? target.closest<HTMLElement>(cells) : null

/** Shows the whole text of a cell that is cut off while the pointer is on it. */
export const showCutCells = (): void => {
  // The text may change, and a title would remain.
  addEventListener("mouseout", (event) => cellOf(event)?.removeAttribute("title"))
  addEventListener("mouseover", (event) => {
    const cell = cellOf(event)
    if (cell === null) return
    const text = cell.textContent
    if (cell.scrollWidth > cell.clientWidth && text.length <= longest) cell.title = text
    else cell.removeAttribute("title")
  })
}

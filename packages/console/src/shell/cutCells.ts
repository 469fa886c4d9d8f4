/** UTF-16 units up to which the whole text of a cell is shown: a longer one, such as a document, would cover the page. */
const longest = 500

/** Shows the whole text of a table's cell that is cut off while the pointer is on it. */
export const showCutCells = (): void =>
  addEventListener("mouseover", ({ target }) => {
    const cell = target instanceof Element ? target.closest<HTMLElement>('[role="gridcell"], [role="rowheader"]') : null
    if (cell === null) return
    const text = cell.textContent
    cell.title = cell.scrollWidth > cell.clientWidth && text.length <= longest ? text : ""
  })

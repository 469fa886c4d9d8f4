/**
 * The values of a record with quoted values. Undefined for irregular records, which the csv parser handles: a quote
 * inside a plain value, a missing closing quote, text after a closing quote, or line ends.
 */
export const quotedCells = (text: string, separator: string, quote: string): ReadonlyArray<string> | undefined => {
  if (text.includes("\n") || text.includes("\r")) return undefined
  const cells: Array<string> = []
  let at = 0
  for (;;) {
    if (text.startsWith(quote, at)) {
      let end = text.indexOf(quote, at + 1)
      let isDoubled = false
      while (end !== -1 && text.startsWith(quote, end + 1)) {
        isDoubled = true
        end = text.indexOf(quote, end + 2)
      }
      if (end === -1) return undefined
      const cell = text.slice(at + 1, end)
      cells.push(isDoubled ? cell.replaceAll(quote + quote, quote) : cell)
      at = end + 1
      if (at === text.length) return cells
      if (!text.startsWith(separator, at)) return undefined
    } else {
      const end = text.indexOf(separator, at)
      const cell = end === -1 ? text.slice(at) : text.slice(at, end)
      if (cell.includes(quote)) return undefined
      cells.push(cell)
      if (end === -1) return cells
      at = end
    }
    at += separator.length
  }
}

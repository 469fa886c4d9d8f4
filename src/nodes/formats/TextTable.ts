/** Maximum width of a cell in characters; longer ones are truncated, and the JSON format has them in full. */
const widest = 80
const ellipsis = "…"

/** Control characters would break the table or the terminal. */
const printable = (cell: string): string =>
  cell.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g, (character) => {
    if (character === "\n") return "\\n"
    if (character === "\t") return "\\t"
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`
  })

const cut = (cell: string): string => {
  const characters = [...printable(cell.slice(0, 4 * widest))]
  return characters.length > widest ? characters.slice(0, widest - 1).join("") + ellipsis : characters.join("")
}

/** Records as text lines: a header, a rule, and a line per record. `numeric` columns are right-aligned. */
export const table = (
  header: ReadonlyArray<string>,
  numeric: ReadonlyArray<boolean>,
  rows: ReadonlyArray<ReadonlyArray<string | null>>
): ReadonlyArray<string> => {
  const cells = rows.map((row) => row.map((cell) => (cell === null ? "NULL" : cut(cell))))
  const names = header.map(cut)
  const widths = names.map((name, column) =>
    cells.reduce((width, row) => Math.max(width, [...row[column]!].length), [...name].length)
  )
  const line = (row: ReadonlyArray<string>) =>
    row
      .map((cell, column) => {
        const blanks = " ".repeat(widths[column]! - [...cell].length)
        return numeric[column] === true ? blanks + cell : cell + blanks
      })
      .join(" | ")
      .trimEnd()
  return [line(names), widths.map((width) => "-".repeat(width)).join("-+-"), ...cells.map(line)]
}

import { createReadStream } from "node:fs"

/**
 * The line, from 1, on which the first row begins for which `isRow` holds; undefined when there is none. Rows count from 1,
 * with the header and empty lines, as DuckDB counts them. `bytes` are without the line end.
 */
export const lineOfRow = async (
  path: string,
  isRow: (row: number, bytes: number) => boolean
): Promise<number | undefined> => {
  let [row, line, begin, bytes, inQuotes] = [1, 1, 1, 0, false]
  for await (const chunk of createReadStream(path, { highWaterMark: 1024 * 1024 })) {
    const piece: Buffer = chunk
    let quote = piece.indexOf(34)
    for (let at = 0; at < piece.length; ) {
      const end = piece.indexOf(10, at)
      const stop = end === -1 ? piece.length : end
      for (; quote !== -1 && quote < stop; quote = piece.indexOf(34, quote + 1)) inQuotes = !inQuotes
      bytes += stop - at
      at = stop + 1
      if (end === -1) break
      line++
      if (inQuotes) {
        bytes++
        continue
      }
      if (isRow(row, bytes)) return begin
      ;[row, begin, bytes] = [row + 1, line, 0]
    }
  }
  return bytes > 0 && isRow(row, bytes) ? begin : undefined
}

import type { Parsed } from "./DissectPattern.ts"

/** The start and end of each key's value in the line, or where cutting stopped. */
export interface Cuts {
  readonly starts: ReadonlyArray<number>
  readonly ends: ReadonlyArray<number>
  /** Index of the part that failed, -1 for the leading literal, undefined when all matched. */
  readonly failed: number | undefined
  /** The end of the last literal that was found. */
  readonly reached: number
}

/** Cuts a line at the pattern's literals, each at its first occurrence after the previous one; never backtracks. */
export const cut = ({ leading, parts }: Parsed, line: string): Cuts => {
  const starts: Array<number> = []
  const ends: Array<number> = []
  if (line.length <= leading.length || !line.startsWith(leading)) return { starts, ends, failed: -1, reached: 0 }
  let position = leading.length
  for (let index = 0; index < parts.length; index++) {
    const { key, literal } = parts[index]!
    let end: number
    if (key.width !== undefined) {
      end = position + key.width
      const isRest = literal === "" && index === parts.length - 1
      if (end > line.length || (isRest && end < line.length) || !line.startsWith(literal, end))
        return { starts, ends, failed: index, reached: position }
    } else if (literal === "") {
      // Two keys without a literal between them cannot be separated.
      if (index < parts.length - 1) return { starts, ends, failed: index, reached: position }
      end = line.length
    } else {
      end = line.indexOf(literal, position)
      if (end < 0) return { starts, ends, failed: index, reached: position }
    }
    starts.push(position)
    ends.push(end)
    position = end + literal.length
    if (key.padded && literal !== "") while (line.startsWith(literal, position)) position += literal.length
  }
  return { starts, ends, failed: undefined, reached: position }
}

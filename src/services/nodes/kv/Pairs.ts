/** How pairs are written. */
export interface PairSyntax {
  /** Characters that end a pair. */
  readonly pairEnds: string
  /** Characters between key and value. */
  readonly equals: string
  readonly brackets: boolean
  readonly trimKey: string
  readonly trimValue: string
}

const closing: Readonly<Record<string, string>> = { "(": ")", "[": "]", "<": ">" }

const trimmed = (text: string, characters: string): string => {
  if (characters === "") return text
  let [start, end] = [0, text.length]
  while (start < end && characters.includes(text[start]!)) start++
  while (end > start && characters.includes(text[end - 1]!)) end--
  return text.slice(start, end)
}

/** Reads the pairs of a text in order, in one pass over it. */
export const readPairs = (
  syntax: PairSyntax
): ((text: string) => ReadonlyArray<readonly [key: string, value: string]>) => {
  const ends = new Set(syntax.pairEnds)
  const equals = new Set(syntax.equals)
  return (text) => {
    const pairs: Array<readonly [string, string]> = []
    let at = 0
    /** The end of the plain text from here. */
    const plainEnd = (from: number): number => {
      let end = from
      while (end < text.length && !ends.has(text[end]!)) end++
      return end
    }
    /** A value in quotes or brackets, and where it ends; nothing when its end is missing. */
    const enclosed = (): readonly [value: string, end: number] | undefined => {
      const open = text[at]!
      if (open === '"' || open === "'") {
        let value = ""
        for (let next = at + 1; next < text.length; next++) {
          if (text[next] === open) return [value, next + 1]
          if (text[next] === "\\" && next + 1 < text.length) next++
          value += text[next]
        }
        return undefined
      }
      const close = syntax.brackets ? closing[open] : undefined
      const end = close === undefined ? -1 : text.indexOf(close, at + 1)
      return end === -1 ? undefined : [text.slice(at + 1, end), end + 1]
    }
    while (at < text.length) {
      if (ends.has(text[at]!)) {
        at++
        continue
      }
      let middle = at
      while (middle < text.length && !equals.has(text[middle]!) && !ends.has(text[middle]!)) middle++
      if (middle === text.length || ends.has(text[middle]!)) {
        at = middle
        continue
      }
      const key = trimmed(text.slice(at, middle).trim(), syntax.trimKey)
      at = middle + 1
      const inner = at < text.length ? enclosed() : undefined
      let value = ""
      if (inner === undefined) {
        const end = plainEnd(at)
        value = text.slice(at, end).trim()
        at = end
      } else {
        value = inner[0]
        at = inner[1]
      }
      if (key !== "") pairs.push([key, trimmed(value, syntax.trimValue)])
    }
    return pairs
  }
}

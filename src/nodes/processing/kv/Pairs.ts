/** The syntax of pairs. */
export interface PairSyntax {
  /** Characters that separate pairs. */
  readonly pairEnds: string
  /** Characters that separate key and value. */
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

const ends = 1
const equals = 2

/** The kind of each UTF-16 unit: pair separator, value separator, both, or 0 for others. */
const kindsOf = ({ pairEnds, equals: between }: PairSyntax): Uint8Array => {
  const kinds = new Uint8Array(65_536)
  for (const [characters, kind] of [
    [pairEnds, ends],
    [between, equals]
  ] as const) {
    for (const character of characters) if (character.length === 1) kinds[character.charCodeAt(0)]! |= kind
  }
  return kinds
}

/** Reads the pairs of a text in order, in a single pass. */
export const readPairs = (
  syntax: PairSyntax
): ((text: string) => ReadonlyArray<readonly [key: string, value: string]>) => {
  const kinds = kindsOf(syntax)
  return (text) => {
    const pairs: Array<readonly [string, string]> = []
    let at = 0
    /** Brackets without a closing one from here on; searching again for each would take quadratic time. */
    const missing = new Set<string>()
    /** The end of the plain text that begins here. */
    const plainEnd = (from: number): number => {
      let end = from
      while (end < text.length && (kinds[text.charCodeAt(end)]! & ends) === 0) end++
      return end
    }
    /** A quoted or bracketed value and its end; undefined when its end is missing. */
    const enclosed = (): readonly [value: string, end: number] | undefined => {
      const open = text[at]!
      if (open === '"' || open === "'") {
        const first = text.indexOf(open, at + 1)
        const plain = first === -1 ? undefined : text.slice(at + 1, first)
        if (plain === undefined) return undefined
        if (!plain.includes("\\")) return [plain, first + 1]
        let value = ""
        for (let next = at + 1; next < text.length; next++) {
          if (text[next] === open) return [value, next + 1]
          if (text[next] === "\\" && next + 1 < text.length) next++
          value += text[next]
        }
        return undefined
      }
      const close = syntax.brackets ? closing[open] : undefined
      if (close === undefined || missing.has(close)) return undefined
      const end = text.indexOf(close, at + 1)
      if (end === -1) missing.add(close)
      return end === -1 ? undefined : [text.slice(at + 1, end), end + 1]
    }
    while (at < text.length) {
      if ((kinds[text.charCodeAt(at)]! & ends) !== 0) {
        at++
        continue
      }
      let middle = at
      while (middle < text.length && kinds[text.charCodeAt(middle)] === 0) middle++
      if (middle === text.length || (kinds[text.charCodeAt(middle)]! & ends) !== 0) {
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

/** A small reproducible source of random choices (xorshift). */
export const random = (seed: number) => {
  let state = seed | 0 || 1
  const below = (limit: number): number => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state >>> 0) % limit
  }
  return { below, pick: <A>(from: ReadonlyArray<A>): A => from[below(from.length)]! }
}
export type Random = ReturnType<typeof random>

/** Definitions that generated expressions may refer to. */
export const definitions = {
  WORD: "\\b[0-9A-Za-z_]+\\b",
  INT: "[+-]?[0-9]+",
  PAIR: "%{WORD:key}=(?:%{INT:value}|%{WORD:text})?",
  BLANK: "\\s*",
  ANY: ".*?"
}

const atoms = ["a", "b", "1", " ", "=", ".", "[ab1]", "[^a]", "[[:alpha:]]", "\\.", "(?:a|b)", "é"]
const asciiAtoms = [...atoms, "\\w", "\\d", "\\s", "\\W", "[\\w.]", "\\h"]
const anchors = ["^", "$", "\\b", "\\B"]
const nullable = new Set(["BLANK", "ANY"])
const optional = ["", "", "?", "??"]
const repeated = ["", "", "", "?", "??", "+", "*", "+?", "*?", "{1,2}", "{2}", "{2}+", "++"]

export interface Generated {
  readonly pattern: string
  /** The same in plain Oniguruma, the fields as its groups, in the same order. */
  readonly oniguruma: string
  readonly fields: ReadonlyArray<string>
}

interface Piece {
  readonly pattern: string
  readonly oniguruma: string
  /** It may match the empty text: engines differ in repetitions of empty matches. */
  readonly empty: boolean
}

/** A random grok expression and its plain Oniguruma form. */
export const expression = (source: Random, ascii: boolean): Generated => {
  const fields: Array<string> = []
  const references = Object.keys(definitions) as ReadonlyArray<keyof typeof definitions>

  const plain = (text: string): string =>
    text.replace(/%\{(\w+)(?::(\w+))?\}/g, (_whole, name: keyof typeof definitions, field: string | undefined) => {
      if (field !== undefined) fields.push(field)
      const open = field === undefined ? "(?:" : `(?<n${fields.length}>`
      return `${open}${plain(definitions[name])})`
    })

  const piece = (depth: number): Piece => {
    const kind = source.below(depth > 0 ? 8 : 4)
    if (kind < 3) {
      const atom = source.pick(ascii ? asciiAtoms : atoms)
      return { pattern: atom, oniguruma: atom, empty: false }
    }
    if (kind === 3) {
      const name = source.pick(references)
      const pattern = `%{${name}${source.below(2) === 0 ? `:f${fields.length}` : ""}}`
      return { pattern, oniguruma: plain(pattern), empty: nullable.has(name) }
    }
    const open = source.pick(["(?:", "(?:", "(?>", "(?<", "(?<", "(?i:"])
    const field = `g${fields.length}`
    if (open === "(?<") fields.push(field)
    const number = fields.length
    const inner = choice(depth - 1)
    const [left, right] = open === "(?<" ? [`(?<${field}>`, `(?<n${number}>`] : [open, open]
    return { pattern: `${left}${inner.pattern})`, oniguruma: `${right}${inner.oniguruma})`, empty: inner.empty }
  }

  const sequence = (depth: number): Piece => {
    const parts = Array.from({ length: 1 + source.below(3) }, (): Piece => {
      if (source.below(8) === 0) {
        const anchor = source.pick(anchors)
        return { pattern: anchor, oniguruma: anchor, empty: true }
      }
      const one = piece(depth)
      const quantifier = source.pick(one.empty ? optional : repeated)
      const empty = one.empty || /^[?*]/.test(quantifier)
      return { pattern: one.pattern + quantifier, oniguruma: one.oniguruma + quantifier, empty }
    })
    return {
      pattern: parts.map(({ pattern }) => pattern).join(""),
      oniguruma: parts.map(({ oniguruma }) => oniguruma).join(""),
      empty: parts.every(({ empty }) => empty)
    }
  }

  const choice = (depth: number): Piece => {
    const first = sequence(depth)
    if (source.below(3) > 0) return first
    const other = sequence(depth)
    return {
      pattern: `${first.pattern}|${other.pattern}`,
      oniguruma: `${first.oniguruma}|${other.oniguruma}`,
      empty: first.empty || other.empty
    }
  }

  const { pattern, oniguruma } = choice(2)
  return { pattern, oniguruma, fields }
}

const letters = ["a", "b", "A", "1", "2", " ", "=", ".", "\n", "_", "ab", "a=1 ", "b=ab "]

export const line = (source: Random, ascii: boolean): string =>
  Array.from({ length: source.below(9) }, () => source.pick(ascii ? letters : [...letters, "é", "中"])).join("")

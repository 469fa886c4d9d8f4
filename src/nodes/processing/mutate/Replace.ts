/** Maximum length of a text after a replacement. */
export const maxLength = 16_777_216

/** A piece of what stands in place of a match: a text, or a group of the match by its number or name. */
type Piece = string | { readonly group: number } | { readonly name: string }

/** Why a replacement cannot be done, and which setting is at fault. */
export class ReplaceFault extends Error {
  readonly setting: "pattern" | "with"
  constructor(setting: "pattern" | "with", detail: string) {
    super(detail)
    this.setting = setting
  }
}

const compile = (pattern: string): RegExp => {
  try {
    return new RegExp(pattern, "gu")
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message.replace(/^.*: /s, "") : String(cause)
    throw new ReplaceFault("pattern", `The regular expression does not compile: ${reason}`)
  }
}

/** The groups of a pattern: their number, and their names. */
const groupsOf = (pattern: string) => {
  // With an empty alternative it matches any text, and tells its groups.
  const found = new RegExp(`${pattern}|`, "u").exec("")
  return { count: (found?.length ?? 1) - 1, names: Object.keys(found?.groups ?? {}) }
}

const reference = /\$(?:(\$)|(&)|(\d{1,2})|<([^>]*)>|([`']))/gu

const piecesOf = (text: string, pattern: string): ReadonlyArray<Piece> => {
  const { count, names } = groupsOf(pattern)
  const pieces: Array<Piece> = []
  let from = 0
  for (const found of text.matchAll(reference)) {
    const [whole, dollar, match, number, name] = found
    pieces.push(text.slice(from, found.index))
    from = found.index + whole.length
    if (dollar !== undefined) pieces.push("$")
    else if (match !== undefined) pieces.push({ group: 0 })
    else if (number !== undefined) {
      if (Number(number) < 1 || Number(number) > count) {
        throw new ReplaceFault("with", `The pattern has no group ${number}: it has ${count}; write $$ for a dollar`)
      }
      pieces.push({ group: Number(number) })
    } else if (name !== undefined) {
      if (!names.includes(name)) {
        throw new ReplaceFault("with", `The pattern has no group named ${JSON.stringify(name)}`)
      }
      pieces.push({ name })
    } else throw new ReplaceFault("with", `${whole} is not supported: write $& for the match, $$ for a dollar`)
  }
  pieces.push(text.slice(from))
  return pieces.filter((piece) => piece !== "")
}

class TooLong extends Error {}

/**
 * Replaces the matches of a pattern; the result is undefined for a text that would be longer than {@link maxLength}.
 * Throws {@link ReplaceFault}.
 */
export const replacer = (pattern: string, replacement: string): ((text: string) => string | undefined) => {
  const regex = compile(pattern)
  const pieces = piecesOf(replacement, pattern)
  const fixed = pieces.every((piece) => typeof piece === "string") ? pieces.join("") : undefined
  const escaped = fixed?.replaceAll("$", "$$$$")
  const counting = (text: string): string | undefined => {
    let length = 0
    const replaced = (whole: string, ...found: ReadonlyArray<unknown>): string => {
      const last = found.at(-1)
      const named = typeof last === "object" && last !== null ? (last as Record<string, string | undefined>) : {}
      const textOf = (piece: Piece): string => {
        if (typeof piece === "string") return piece
        if ("name" in piece) return named[piece.name] ?? ""
        const group = piece.group === 0 ? whole : found[piece.group - 1]
        return typeof group === "string" ? group : ""
      }
      const made = pieces.map(textOf).join("")
      length += made.length
      if (length > maxLength) throw new TooLong()
      return made
    }
    try {
      const made = text.replace(regex, replaced)
      return made.length > maxLength ? undefined : made
    } catch (cause) {
      if (cause instanceof TooLong) return undefined
      throw cause
    }
  }
  // A text has one empty match more than it has characters.
  return (text) =>
    escaped !== undefined && text.length + (text.length + 1) * escaped.length <= maxLength
      ? text.replace(regex, escaped)
      : counting(text)
}

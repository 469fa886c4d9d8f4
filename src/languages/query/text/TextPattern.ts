import { storable } from "../StoredText.ts"

/**
 * Escapes a character for regular expressions that mean the same in PostgreSQL and in JavaScript (flags `s` and `u`).
 * ASCII letters and digits and characters beyond the basic plane stay as they are; all others are escaped.
 */
export const escaped = (character: string): string => {
  const code = character.codePointAt(0) ?? 0
  return /[A-Za-z0-9]/.test(character) || code > 0xffff ? character : `\\u${code.toString(16).padStart(4, "0")}`
}

/** An expression for a character in both cases. */
export const caseless = (character: string): string => {
  const forms = [character, character.toLowerCase(), character.toUpperCase()].filter((form) => [...form].length === 1)
  const distinct = [...new Set(forms)]
  return distinct.length === 1 ? escaped(character) : `[${distinct.map(escaped).join("")}]`
}

/** An expression that matches a text literally, optionally ignoring case. */
export const literal = (text: string, ignoreCase: boolean): string =>
  [...storable(text)].map(ignoreCase ? caseless : escaped).join("")

export const startingWith = (prefix: string): string => `^${literal(prefix, true)}`

/** An expression that matches the whole text, ignoring case. */
export const exactly = (text: string): string => `^${literal(text, true)}$`

/**
 * An expression for a wildcard pattern: `*` is any characters, `?` is one, and a backslash escapes the next character.
 */
export const wildcard = (pattern: string, ignoreCase: boolean): string => {
  let expression = ""
  for (const [part] of pattern.matchAll(/\\[\s\S]|\*+|\?|[^\\*?]+|\\/gu)) {
    if (part.startsWith("*")) expression += ".*"
    else if (part === "?") expression += "."
    else expression += literal(part.length > 1 && part.startsWith("\\") ? part.slice(1) : part, ignoreCase)
  }
  return `^${expression}$`
}

/** An expression for the dotted names of fields that a pattern with `*` stands for. */
export const fieldNames = (pattern: string): string =>
  `^${pattern
    .split(/\*+/)
    .map((part) => literal(part, false))
    .join(".*")}$`

/** Whether a text has an unescaped `*` or `?`. */
export const hasWildcard = (text: string): boolean => /^(?:[^\\*?]|\\[\s\S])*[*?]/u.test(text)

/** A text without its escaping backslashes. */
export const unescaped = (text: string): string => text.replace(/\\([\s\S])/gu, "$1")

/** Compares texts in the order of code points, which is that of UTF-8 bytes. */
export const compareTexts = (a: string, b: string): number => {
  const length = Math.min(a.length, b.length)
  for (let at = 0; at < length; at++) {
    const [left, right] = [a.charCodeAt(at), b.charCodeAt(at)]
    if (left === right) continue
    // Surrogates represent code points above those of all other units.
    const [high, low] = [left >= 0xd800 && left <= 0xdfff, right >= 0xd800 && right <= 0xdfff]
    return high === low ? left - right : high ? 1 : -1
  }
  return a.length - b.length
}

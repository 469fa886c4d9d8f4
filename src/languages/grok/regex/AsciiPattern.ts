/** Class members that mean the same with and without the flag `v`, besides single characters. */
const classEscape = /^\\(?:[dDsSwWnrtfv0]|x[0-9A-Fa-f]{2}|u[0-9A-Fa-f]{4}|[^0-9A-Za-z])$/
/** Escapes outside of classes that mean the same with and without the flag `v`. */
const escape = /^\\(?:[dDsSwWbBnrtfv]|0(?!\d)|[1-9]\d*|x[0-9A-Fa-f]{2}|u[0-9A-Fa-f]{4}|[^0-9A-Za-z])$/
const token = /\\(?:u\{[^}]*\}|u[0-9A-Fa-f]{4}|x[0-9A-Fa-f]{2}|[pP]\{[^}]*\}|[1-9]\d*|[\s\S])|\[\^?|\]|--|&&|[\s\S]/g
const hexDigits = "0-9A-Fa-f"
const foreign = "\\x80-\\uffff"
/** One non-ASCII character, literal or escaped. */
const foreignCharacter = /^(?:\\?[^\x00-\x7f]|\\x[89A-Fa-f][0-9A-Fa-f]|\\u(?!00[0-7])[0-9A-Fa-f]{4})$/
/** Other class members that may contain non-ASCII characters. */
const wide = /^\\[sSDW]$/
const narrow: Readonly<Record<string, string>> = {
  "\\s": "[\\t-\\r ]",
  "\\S": `[^\\s${foreign}]`,
  "\\W": `[^\\w${foreign}]`,
  "\\D": `[^\\d${foreign}]`
}

/** A part outside of classes, restricted to ASCII characters. */
const narrowed = (part: string, dotAll: boolean): string => {
  if (foreignCharacter.test(part)) return "[]"
  if (part === ".") return dotAll ? "[\\x00-\\x7f]" : `[^\\n\\r${foreign}]`
  return narrow[part] ?? part
}

/**
 * The pattern without the flag `v`, for ASCII text only, which V8 matches a quarter faster. Undefined when the meaning
 * may differ. Case-insensitive patterns are not converted, because case folding differs without the flag.
 *
 * The resulting pattern never matches a non-ASCII character. A match of a whole line therefore proves that the line is
 * ASCII.
 */
export const plainAscii = (pattern: string, dotAll: boolean): string | undefined => {
  // Groups that change the meaning of letters or the dot, and characters of two UTF-16 units.
  if (/\(\?[a-z]*(?:[is]|-[a-z]*s)|[\ud800-\udfff]/.test(pattern)) return undefined
  let plain = ""
  let opening = ""
  let members = ""
  let isWide = false
  for (const [part] of pattern.matchAll(token)) {
    const isClass = opening !== ""
    if (part === "\\p{AHex}") {
      if (isClass) members += hexDigits
      else plain += `[${hexDigits}]`
      continue
    }
    if (part.startsWith("\\") && !(isClass ? classEscape : escape).test(part)) return undefined
    if (part === "[" || part === "[^") {
      if (isClass) return undefined
      opening = part
      members = ""
      isWide = false
    } else if (part === "]" && isClass) {
      if (opening === "[^") plain += `[^${foreign}${members}]`
      else plain += isWide ? `(?:(?![${foreign}])[${members}])` : `[${members}]`
      opening = ""
    } else if (isClass) {
      if (part.length > 1 && !part.startsWith("\\")) return undefined
      isWide ||= wide.test(part) || foreignCharacter.test(part)
      members += part
    } else plain += narrowed(part, dotAll)
  }
  return plain
}

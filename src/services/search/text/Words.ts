import { literal } from "./Pattern.ts"

/**
 * What no word has: ASCII but letters, digits and `_`, and the punctuation and blanks of Latin-1, of Unicode's general
 * block, of Chinese and Japanese, and full-width ones.
 */
const gaps =
  "\\u0001-\\u002f\\u003a-\\u0040\\u005b-\\u005e\\u0060\\u007b-\\u00a9\\u00ab-\\u00b4\\u00b6-\\u00b9\\u00bb-\\u00bf" +
  "\\u00d7\\u00f7\\u2000-\\u206f\\u3000-\\u3003\\u3008-\\u3020\\uff00-\\uff0f\\uff1a-\\uff20\\uff3b-\\uff3e\\uff40" +
  "\\uff5b-\\uff65"
/** What joins two pieces to one word when it stands alone between them: `10.0.0.1`, `can't`. */
const joints = "\\u002e\\u0027\\u2019"

const letter = `[^${gaps}]`
const gap = `[${gaps}]`
const joint = `[${joints}]`
/** A gap that is no joint: the gaps of `gaps` with the joints cut out. */
const clear = `[${gaps
  .replace("\\u0001-\\u002f", "\\u0001-\\u0026\\u0028-\\u002d\\u002f")
  .replace("\\u2000-\\u206f", "\\u2000-\\u2018\\u201a-\\u206f")}]`

const before = `(^|${clear}|(^|${gap})${joint})`
const after = `($|${clear}|${joint}($|${gap}))`
const between = `(${clear}${gap}*|${joint}${gap}+)`

const words = new RegExp(`${letter}+(?:${joint}${letter}+)*`, "gu")

/** The words of a text, as they are written. */
export const wordsOf = (text: string): ReadonlyArray<string> => text.match(words) ?? []

/** An expression that fits texts with one of the words, whatever its case. */
export const withAnyWord = (given: ReadonlyArray<string>): string =>
  `${before}(${given.map((word) => literal(word, true)).join("|")})${after}`

/** An expression that fits texts with the words one after the other. */
export const withPhrase = (given: ReadonlyArray<string>): string =>
  `${before}${given.map((word) => literal(word, true)).join(between)}${after}`

/** An expression that fits texts with a word of this form: `*` any characters of words, `?` one. */
export const withWordLike = (pattern: string): string => {
  let expression = ""
  for (const [part] of pattern.matchAll(/\\[\s\S]|\*+|\?|[^\\*?]+|\\/gu)) {
    if (part.startsWith("*")) expression += `(${letter}|${joint})*`
    else if (part === "?") expression += letter
    else expression += literal(part.length > 1 && part.startsWith("\\") ? part.slice(1) : part, true)
  }
  return `${before}${expression}${after}`
}

import { literal } from "./TextPattern.ts"

/**
 * Characters outside of words: ASCII except letters, digits and `_`, and the punctuation and blanks of Latin-1, General
 * Punctuation, Chinese and Japanese, and full-width forms.
 */
const gaps =
  "\\u0001-\\u002f\\u003a-\\u0040\\u005b-\\u005e\\u0060\\u007b-\\u00a9\\u00ab-\\u00b4\\u00b6-\\u00b9\\u00bb-\\u00bf" +
  "\\u00d7\\u00f7\\u2000-\\u206f\\u3000-\\u3003\\u3008-\\u3020\\uff00-\\uff0f\\uff1a-\\uff20\\uff3b-\\uff3e\\uff40" +
  "\\uff5b-\\uff65"
/** Characters that join two pieces to one word when they stand alone between them: `10.0.0.1`, `can't`. */
const joints = "\\u002e\\u0027\\u2019"

/** Characters that are words of their own, as in Elasticsearch's standard analyzer: Chinese characters and hiragana. */
const signs = "\\u3005\\u3007\\u3041-\\u3096\\u3400-\\u4dbf\\u4e00-\\u9fff\\uf900-\\ufaff"

const letter = `[^${gaps}]`
/** A character of a word of several characters. */
const part = `[^${gaps}${signs}]`
const gap = `[${gaps}]`
const joint = `[${joints}]`
/** The ranges of `gaps` without the joints. */
const clearGaps = gaps
  .replace("\\u0001-\\u002f", "\\u0001-\\u0026\\u0028-\\u002d\\u002f")
  .replace("\\u2000-\\u206f", "\\u2000-\\u2018\\u201a-\\u206f")
/** A gap that is not a joint. */
const clear = `[${clearGaps}]`
/** A character at which a word can begin or end. */
const edge = `[${clearGaps}${signs}]`
const brink = `[${gaps}${signs}]`

// Groups that capture nothing: PostgreSQL compiles each capturing one by itself, again for every group around it.
const before = `(?:^|${edge}|(?:^|${brink})${joint})`
const after = `(?:$|${edge}|${joint}(?:$|${brink}))`
const between = `(?:${clear}${gap}*|${joint}${gap}+)`

/** An expression for a word. */
export const wordExpression = `[${signs}]|${part}+(?:${joint}${part}+)*`

const words = new RegExp(wordExpression, "gu")
const sign = new RegExp(`^[${signs}]$`, "u")
const isSign = (word: string): boolean => sign.test(word)

/** The words of a text, as written. */
export const wordsOf = (text: string): ReadonlyArray<string> => text.match(words) ?? []

/** An expression for texts that contain one of the words, ignoring case. */
export const withAnyWord = (given: ReadonlyArray<string>): string => {
  const [alone, bounded] = [given.filter(isSign), given.filter((word) => !isSign(word))].map((some) =>
    some.map((word) => literal(word, true)).join("|")
  )
  if (alone === "") return `${before}(?:${bounded})${after}`
  return bounded === "" ? `(?:${alone})` : `(?:${alone}|${before}(?:${bounded})${after})`
}

/** An expression for texts that contain a word with this start, ignoring case. */
export const withWordStarting = (start: string): string =>
  isSign(start) ? literal(start, true) : `${before}${literal(start, true)}`

/** An expression for texts that contain the words in sequence, the last of them perhaps only as the start of one. */
export const withPhrase = (given: ReadonlyArray<string>, openEnd = false): string => {
  const [first = "", last = ""] = [given[0], given.at(-1)]
  let expression = isSign(first) ? "" : before
  for (const [at, word] of given.entries()) {
    // No gap is needed before or after a character that is a word of its own.
    if (at > 0) expression += isSign(word) || isSign(given[at - 1]!) ? `${gap}*` : between
    expression += literal(word, true)
  }
  return openEnd || isSign(last) ? expression : expression + after
}

/** An expression for texts that contain a word of this form: `*` is any characters of a word, `?` is one. */
export const withWordLike = (pattern: string): string => {
  let expression = ""
  for (const [part] of pattern.matchAll(/\\[\s\S]|\*+|\?|[^\\*?]+|\\/gu)) {
    if (part.startsWith("*")) expression += `(?:${letter}|${joint})*`
    else if (part === "?") expression += letter
    else expression += literal(part.length > 1 && part.startsWith("\\") ? part.slice(1) : part, true)
  }
  return `${before}${expression}${after}`
}

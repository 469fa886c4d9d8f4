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

/** Characters that are words of their own: Chinese ones and hiragana, as Elasticsearch's standard analyzer has them. */
const signs = "\\u3005\\u3007\\u3041-\\u3096\\u3400-\\u4dbf\\u4e00-\\u9fff\\uf900-\\ufaff"

const letter = `[^${gaps}]`
/** A character of a word that has several. */
const part = `[^${gaps}${signs}]`
const gap = `[${gaps}]`
const joint = `[${joints}]`
/** The gaps of `gaps` with the joints cut out. */
const clearGaps = gaps
  .replace("\\u0001-\\u002f", "\\u0001-\\u0026\\u0028-\\u002d\\u002f")
  .replace("\\u2000-\\u206f", "\\u2000-\\u2018\\u201a-\\u206f")
/** A gap that is no joint. */
const clear = `[${clearGaps}]`
/** What a word can begin or end at. */
const edge = `[${clearGaps}${signs}]`
const brink = `[${gaps}${signs}]`

const before = `(^|${edge}|(^|${brink})${joint})`
const after = `($|${edge}|${joint}($|${brink}))`
const between = `(${clear}${gap}*|${joint}${gap}+)`

const words = new RegExp(`[${signs}]|${part}+(?:${joint}${part}+)*`, "gu")
const sign = new RegExp(`^[${signs}]$`, "u")
const isSign = (word: string): boolean => sign.test(word)

/** The words of a text, as they are written. */
export const wordsOf = (text: string): ReadonlyArray<string> => text.match(words) ?? []

/** An expression that fits texts with one of the words, whatever its case. */
export const withAnyWord = (given: ReadonlyArray<string>): string => {
  const [alone, bounded] = [given.filter(isSign), given.filter((word) => !isSign(word))].map((some) =>
    some.map((word) => literal(word, true)).join("|")
  )
  if (alone === "") return `${before}(${bounded})${after}`
  return bounded === "" ? `(${alone})` : `(${alone}|${before}(${bounded})${after})`
}

/** An expression that fits texts with the words one after the other. */
export const withPhrase = (given: ReadonlyArray<string>): string => {
  const [first = "", last = ""] = [given[0], given.at(-1)]
  let expression = isSign(first) ? "" : before
  for (const [at, word] of given.entries()) {
    // No gap is needed where a sign ends, or begins, a word.
    if (at > 0) expression += isSign(word) || isSign(given[at - 1]!) ? `${gap}*` : between
    expression += literal(word, true)
  }
  return isSign(last) ? expression : expression + after
}

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

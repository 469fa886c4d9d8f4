/**
 * PostgreSQL's texts can contain neither U+0000 nor unpaired surrogates, and its driver may drop U+FEFF at the start of
 * a text. In stored documents, and in values compared with them, such a code unit is replaced by this private character
 * followed by its four hexadecimal digits; so is the private character itself. The encoding is lossless, equal texts
 * stay equal, and a prefix stays a prefix.
 */
const mark = "\uE0F1"

const hex = (unit: number): string => unit.toString(16).padStart(4, "0")
const marked = (text: string): string => mark + hex(text.charCodeAt(0))

const plainTrouble = /[\0\uE0F1\uFEFF]|[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/g

/** The stored form of a text. */
export const storable = (text: string): string => text.replace(plainTrouble, marked)

const escapeTrouble = /\\u(?:0000|[dD][89a-fA-F]|[fF][eE])|[\uE0F1\uFEFF]/
const escapes =
  /\\u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|\\u(0000|[dD][89a-fA-F][\da-fA-F]{2}|[fF][eE][fF]{2})|\\[\s\S]|\uE0F1/g

/** The stored form of a JSON text: all texts and names inside it are encoded. */
export const storableJson = (json: string): string => {
  if (!escapeTrouble.test(json) && json.isWellFormed()) return json
  return json
    .replace(escapes, (found, unit: string | undefined) =>
      unit !== undefined ? mark + unit.toLowerCase() : found === mark ? marked(mark) : found
    )
    .replace(plainTrouble, (found) => (found === mark ? mark : marked(found)))
}

/** Whether a stored text differs from its original. */
export const isMarked = (text: string): boolean => text.includes(mark)

const stored = /\uE0F1([\da-f]{4})/g

/** The original of a stored text. */
export const original = (text: string): string =>
  text.includes(mark) ? text.replace(stored, (_, unit: string) => String.fromCharCode(Number.parseInt(unit, 16))) : text

/** The original of a stored JSON text. */
export const originalJson = (json: string): string => (json.includes(mark) ? json.replace(stored, "\\u$1") : json)

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** The original of a stored text, or of the JSON of a nested value. Which of them it is has to be guessed. */
export const originalText = (text: string): string =>
  text.includes(mark) && /^[[{]/.test(text) && isJson(text) ? originalJson(text) : original(text)

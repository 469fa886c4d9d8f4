import { caseless, escaped } from "./TextPattern.ts"

/** How far a text may be from the one that is searched for. */
export interface Fuzziness {
  /** The number of edits for a text of so many characters: 0, 1 or 2. */
  readonly edits: (length: number) => number
  /** The number of characters at the start that must be the same. */
  readonly prefixLength: number
  /** Whether swapping two characters next to each other is one edit. */
  readonly transpositions: boolean
}

/** Maximum number of characters of a fuzzy text: the expression for it grows a little faster than the text. */
export const mostFuzzy = 64

/** What a fuzzy expression counts for `Place.spend`: most of it are parentheses. */
export const fuzzyCost = (expression: string): number => expression.length / 8

/** With so many characters and two edits at most, no text of the right length is too short. */
const safe = 5

interface Form {
  readonly one: (character: string) => string
  readonly transpositions: boolean
}

/**
 * An expression for texts that are at most so many edits from the given characters. Edits are divided between the
 * halves of the text. One character after the other would give an expression that grows with the cube of the length.
 */
const within = (text: ReadonlyArray<string>, edits: number, form: Form): string => {
  const { one } = form
  if (edits === 0) return text.map(one).join("")
  const [first] = text
  if (first === undefined) return `.{0,${edits}}`
  if (text.length === 1) {
    const same = one(first)
    return edits === 1 ? `(?:.?|.${same}|${same}.)` : `(?:.{0,2}|${same}..|.${same}.|..${same})`
  }
  const middle = text.length >> 1
  const [left, right] = [text.slice(0, middle), text.slice(middle)]
  const ways: Array<string> = []
  for (let at = 0; at <= edits; at++) ways.push(within(left, at, form) + within(right, edits - at, form))
  const [before = "", after = ""] = [left.at(-1), right[0]]
  if (form.transpositions && before !== after) {
    for (let at = 0; at < edits; at++) {
      const rest = within(right.slice(1), edits - 1 - at, form)
      ways.push(within(left.slice(0, -1), at, form) + one(after) + one(before) + rest)
    }
  }
  return `(?:${ways.join("|")})`
}

/**
 * An expression for whole texts near the given one, which is in its stored form. As in Elasticsearch, the number of
 * edits must be less than the number of characters of either text.
 */
export const near = (text: string, fuzziness: Fuzziness, ignoreCase: boolean): string => {
  const characters = [...text]
  const edits = Math.max(0, Math.min(fuzziness.edits(characters.length), characters.length - 1))
  const form: Form = { one: ignoreCase ? caseless : escaped, transpositions: fuzziness.transpositions }
  const kept = characters.slice(0, fuzziness.prefixLength)
  const rest = characters.slice(kept.length)
  const start = kept.map(form.one).join("")
  if (characters.length >= safe) return `^${start}${within(rest, edits, form)}$`
  const ways = Array.from(
    { length: edits + 1 },
    (_, count) => `(?=.{${count + 1}})${start}${within(rest, count, form)}`
  )
  return `^(?:${ways.join("|")})$`
}

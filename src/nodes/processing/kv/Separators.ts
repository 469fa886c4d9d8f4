/** Where a separator is; `start` is the length of the text when there is none. */
interface Place {
  start: number
  end: number
}

/** Finds the first separator at or after an offset. */
type Search = (text: string, from: number, place: Place) => void

const notFound = (text: string, place: Place): void => {
  place.start = text.length
  place.end = text.length
}

/** Single characters as separators. */
const characters = (all: string): Search => {
  if (all.length === 1) {
    return (text, from, place) => {
      const start = text.indexOf(all, from)
      place.start = start === -1 ? text.length : start
      place.end = place.start + 1
    }
  }
  const units = new Uint8Array(65_536)
  for (let at = 0; at < all.length; at++) units[all.charCodeAt(at)] = 1
  return (text, from, place) => {
    let at = from
    while (at < text.length && units[text.charCodeAt(at)] === 0) at++
    place.start = at
    place.end = at + 1
  }
}

const pattern = (source: string): Search => {
  const regex = new RegExp(source, "gmu")
  return (text, from, place) => {
    regex.lastIndex = from
    for (let found = regex.exec(text); found !== null; found = regex.exec(text)) {
      // A separator has at least one character; `|;` would otherwise stay where it is for ever.
      if (found[0] !== "") {
        place.start = found.index
        place.end = regex.lastIndex
        return
      }
      regex.lastIndex++
    }
    notFound(text, place)
  }
}

/** Whether a blank has an odd number of backslashes before it, so that it does not separate. */
const isEscapedBlank = (text: string, at: number): boolean => {
  if (text.charCodeAt(at) !== 32 || text.charCodeAt(at - 1) !== 92) return false
  let first = at
  while (first > 0 && text.charCodeAt(first - 1) === 92) first--
  return (at - first) % 2 === 1
}

export interface SeparatorSyntax {
  /** Each character is a separator. */
  readonly characters: string
  /** A regular expression, in place of the characters. */
  readonly pattern?: string | undefined
}

/**
 * The separators of one text after the other, from left to right. It remembers the last one, so that looking ahead for
 * it again and again takes no time.
 */
export class Separators {
  readonly #search: Search
  readonly #escapes: boolean
  readonly #place: Place = { start: 0, end: 0 }
  #text = ""
  #searched = 1

  /** With `escapes`, a blank after a backslash does not separate. */
  constructor({ characters: all, pattern: source }: SeparatorSyntax, escapes: boolean) {
    this.#search = source === undefined ? characters(all) : pattern(source)
    this.#escapes = escapes && (source !== undefined || all.includes(" "))
  }

  begin(text: string): void {
    this.#text = text
    this.#place.start = 0
    this.#searched = 1
  }

  /** The start of the first separator at or after an offset; the length of the text if there is none. */
  find(from: number): number {
    const place = this.#place
    if (from >= this.#searched && from <= place.start) return place.start
    this.#searched = from
    this.#search(this.#text, from, place)
    if (this.#escapes) {
      while (isEscapedBlank(this.#text, place.start)) this.#search(this.#text, place.start + 1, place)
    }
    return place.start
  }

  /** The end of the separator that was found last. */
  get end(): number {
    return this.#place.end
  }
}

import * as Base64 from "effect/encoding/Base64"

// What a run reports must not contain the values of its secrets, in no usual way of writing them. The texts come line
// by line, and a value may be cut anywhere, so each way of writing is searched for by an automaton (Knuth, Morris and
// Pratt), which remembers from line to line how much of it has come.

/** What stands in place of a value. */
const mask = "***"

/** Values and ways of writing them that are shorter are not masked: they are part of too many other texts. */
const leastMasked = 4

/** So many characters of a value are masked wherever they are, because a node may have cut the rest off. */
const longStart = 16

const ellipsis = "…"

/** Base64 of the bytes at each of the three places that they can have among others, without what others decide. */
const base64Forms = (bytes: Uint8Array): ReadonlyArray<string> =>
  [0, 1, 2].flatMap((before) => {
    const shifted = new Uint8Array(before + bytes.length)
    shifted.set(bytes, before)
    const certain = Math.floor((shifted.length * 8) / 6)
    const form = Base64.encode(shifted).slice(Math.ceil((before * 8) / 6), certain)
    return [form, form.replaceAll("+", "-").replaceAll("/", "_")]
  })

const escapedJson = (text: string): string => JSON.stringify(text).slice(1, -1)

/** The text as Python writes it within quotes, for example in the messages of many errors. */
const pythonForm = (text: string): string => {
  const quoted = text.replaceAll("\\", "\\\\").replace(/[\t\n\r]/g, (character) => escapedJson(character))
  const escaped = quoted.replace(/\p{Cc}/gu, (unit) => `\\x${unit.charCodeAt(0).toString(16).padStart(2, "0")}`)
  return text.includes("'") && text.includes('"') ? escaped.replaceAll("'", "\\'") : escaped
}

const inAscii = (text: string): string =>
  text.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)

const percent = (character: string): string => `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`

/** As JavaScript, RFC 3986, Python and the forms of web pages encode a text for a URL, with capital and small letters. */
const urlForms = (text: string): ReadonlyArray<string> => {
  const loose = encodeURIComponent(text)
  const strict = loose.replace(/[!'()*]/g, percent)
  const form = loose.replace(/[!'()~]/g, percent).replaceAll("%20", "+")
  const forms = [encodeURI(text), loose, strict, strict.replaceAll("%2F", "/"), strict.replaceAll("%20", "+"), form]
  return forms.flatMap((form) => [form, form.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase())])
}

/** The usual ways of writing a value, without line breaks, which may be anywhere. */
const formsOf = (value: string): ReadonlyArray<string> => {
  const text = value.toWellFormed()
  const json = escapedJson(text)
  return [
    text,
    json,
    inAscii(json),
    escapedJson(json),
    pythonForm(text),
    ...urlForms(text),
    ...base64Forms(new TextEncoder().encode(text))
  ]
}

/** For each length of a start of the form, the longest shorter start that it ends with. */
const fallbacks = (form: string): Uint32Array => {
  const found = new Uint32Array(form.length + 1)
  for (let length = 1, start = 0; length < form.length; length++) {
    while (start > 0 && form[start] !== form[length]) start = found[start]!
    if (form[start] === form[length]) start++
    found[length + 1] = start
  }
  return found
}

interface Form {
  readonly text: string
  readonly fallbacks: Uint32Array
}

/** A part of a text: from, and to before. */
type Span = readonly [from: number, to: number]

/**
 * Adds the spans of `text` that belong to the form, which may have begun in earlier texts.
 *
 * @param length how much of the form has come
 * @returns the same after this text
 */
const search = ({ text: form, fallbacks }: Form, length: number, text: string, spans: Array<Span>): number => {
  const add = (size: number, to: number) => spans.push([Math.max(0, to - size), to])
  for (let at = 0; at < text.length; at++) {
    if (length === 0) {
      at = text.indexOf(form[0]!, at)
      if (at === -1) return 0
    }
    const unit = text[at]
    while (length > 0 && form[length] !== unit) {
      if (length >= longStart || (length >= leastMasked && unit === ellipsis)) add(length, at)
      length = fallbacks[length]!
    }
    if (form[length] === unit) length++
    if (length === form.length) {
      add(length, at + 1)
      length = fallbacks[length]!
    }
  }
  if (length >= leastMasked) add(length, text.length)
  return length
}

const covered = (text: string, spans: Array<Span>): string => {
  if (spans.length === 0) return text
  spans.sort(([one], [other]) => one - other)
  let result = ""
  let end = 0
  let isOpen = false
  for (const [from, to] of spans) {
    if (from > end || !isOpen) {
      result += `${text.slice(end, from)}${mask}`
      isOpen = true
    }
    end = Math.max(end, to)
  }
  return result + text.slice(end)
}

/** Masks one text after the other. */
export type MaskTexts = (text: string) => string

/** Masks the values of secrets in texts. */
export class Masking {
  readonly #forms: ReadonlyArray<Form>
  /** Finds the first characters of any form: as many as are masked at least, and one. */
  readonly #heads: RegExp
  readonly #firsts: RegExp

  constructor(values: Iterable<string>) {
    const texts = [...values].flatMap(formsOf).map((text) => text.replace(/[\r\n]/g, ""))
    this.#forms = [...new Set(texts)]
      .filter(({ length }) => length >= leastMasked)
      .map((text) => ({ text, fallbacks: fallbacks(text) }))
    this.#heads = this.#beginnings(leastMasked)
    this.#firsts = this.#beginnings(1)
  }

  #beginnings(length: number): RegExp {
    const starts = new Set(this.#forms.map(({ text }) => text.slice(0, length)))
    const escaped = [...starts].map((start) => start.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&"))
    return new RegExp(escaped.length === 0 ? "(?!)" : escaped.join("|"))
  }

  /**
   * Masks texts that follow each other, such as lines of output. A value that is cut between two of them is masked in
   * both, but for a start of fewer than {@link leastMasked} characters.
   */
  following(): MaskTexts {
    const lengths = new Uint32Array(this.#forms.length)
    /** Whether no form has begun in the texts so far. */
    let isIdle = true
    const line = (given: string): string => {
      let text = given
      if (isIdle && !this.#heads.test(text)) {
        // Nearly all texts end here. Only the last characters may be a start.
        text = text.slice(1 - leastMasked)
        if (!this.#firsts.test(text)) return given
      }
      const spans: Array<Span> = []
      for (const [index, form] of this.#forms.entries()) lengths[index] = search(form, lengths[index]!, text, spans)
      isIdle = lengths.every((length) => length === 0)
      if (text !== given) return given
      return spans.length === 0 ? text : this.#again(covered(text, spans))
    }
    return (text) =>
      /[\r\n]/.test(text)
        ? text
            .split(/(\r\n|\r|\n)/)
            .map((part, at) => (at % 2 === 0 ? line(part) : part))
            .join("")
        : line(text)
  }

  /** Masks a text that stands alone. */
  readonly text: MaskTexts = (text) => this.following()(text)

  /** What is left around a mask may be a value together with it, if the value has asterisks. */
  #again(text: string): string {
    let result = text
    for (;;) {
      const spans: Array<Span> = []
      for (const { text: form } of this.#forms) {
        for (let at = result.indexOf(form); at !== -1; at = result.indexOf(form, at + 1))
          spans.push([at, at + form.length])
      }
      if (spans.length === 0) return result
      result = covered(result, spans)
    }
  }
}

/** Maximum length of a line in characters (UTF-16 units); longer lines are dropped. */
export const maxLineLength = 1_048_576

/** Number of characters that are kept of a dropped line, to identify it. */
export const keptLength = 256

/**
 * Splits text into lines (LF or CRLF; the last one may lack its end), independent of the division into chunks.
 * `tooLong` receives the beginning of each line over {@link maxLineLength} in place of the line.
 */
export class LineSplitter {
  readonly #tooLong: (beginning: string) => void
  #carry = ""
  /** The beginning of the line that is being skipped. */
  #skipped: string | undefined

  constructor(tooLong: (beginning: string) => void) {
    this.#tooLong = tooLong
  }

  push(text: string): Array<string> {
    const lines = text.split("\n")
    const rest = lines.pop()!
    if (lines.length > 0) {
      if (this.#skipped !== undefined) {
        this.#tooLong(this.#skipped)
        this.#skipped = undefined
        lines.shift()
      } else lines[0] = this.#carry + lines[0]
      this.#carry = ""
    }
    if (this.#skipped === undefined) {
      // V8 concatenates lazily, so the chunks are joined only once, at the line end.
      this.#carry += rest
      // One more than the limit, because the last character may be the CR of a CRLF.
      if (this.#carry.length > maxLineLength + 1) {
        this.#skipped = this.#carry.slice(0, keptLength)
        this.#carry = ""
      }
    }
    return this.#whole(lines)
  }

  /** Returns the last line if it lacks its end. */
  end(): Array<string> {
    const rest = this.#carry
    this.#carry = ""
    if (this.#skipped !== undefined) this.#tooLong(this.#skipped)
    this.#skipped = undefined
    return rest === "" ? [] : this.#whole([rest])
  }

  #whole(lines: Array<string>): Array<string> {
    let long = false
    for (let index = 0; index < lines.length; index++) {
      let line = lines[index]!
      if (line.charCodeAt(line.length - 1) === 13) lines[index] = line = line.slice(0, -1)
      if (line.length > maxLineLength) long = true
    }
    if (!long) return lines
    return lines.filter((line) => {
      if (line.length <= maxLineLength) return true
      this.#tooLong(line.slice(0, keptLength))
      return false
    })
  }
}

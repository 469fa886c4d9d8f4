/** Characters (UTF-16 units) after which a line is given up. */
export const maxLineLength = 1_048_576

/** How much of a line that was given up is kept, to tell which one it was. */
export const keptLength = 256

/**
 * Cuts text into lines (LF or CRLF; the last one may lack its end). The lines do not depend on how the text is cut into
 * chunks. `tooLong` gets the beginning of each line over {@link maxLineLength}, in place of the line.
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
      // A rope: joined once, when its line end comes, however many chunks it takes.
      this.#carry += rest
      // One more than the limit, because the last character may be the CR of a CRLF.
      if (this.#carry.length > maxLineLength + 1) {
        this.#skipped = this.#carry.slice(0, keptLength)
        this.#carry = ""
      }
    }
    return this.#whole(lines)
  }

  /** The last line, when it has no end. */
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

import { type Mark, type Marked, maxDepth, numberOf, setMember, TextFault } from "./DocumentSource.ts"

/**
 * Reads HJSON, or strict JSON (RFC 8259), with the position of every value. Duplicate keys and more than `maxValues`
 * values are a fault. @throws {TextFault} @see https://hjson.github.io/syntax.html
 */
export const readHjson = (text: string, dialect: "json" | "hjson", maxValues?: number): Marked =>
  new Reader(text, dialect, maxValues).root()

const escapes: ReadonlyMap<string, string> = new Map([
  ['"', '"'],
  ["'", "'"],
  ["\\", "\\"],
  ["/", "/"],
  ["b", "\b"],
  ["f", "\f"],
  ["n", "\n"],
  ["r", "\r"],
  ["t", "\t"]
])
const punctuators = "{}[],:"
const jsonBlanks = " \t\n\r"
const jsonLiteral = /true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y
/** A number, followed by something that may follow a number; otherwise it is the start of a text. */
const hjsonNumber = /(-?(?:0|[1-9]\d*)(?:\.\d*)?(?:[eE][+-]?\d+)?)[^\S\n\r]*(?=[,\]}#\n\r]|\/[/*]|$)/y
const hjsonWord = /(true|false|null)[^\S\n\r]*(?=[,\]}#\n\r]|\/[/*]|$)/y
const quotelessText = /[^\n\r]*/y
const words: ReadonlyMap<string, unknown> = new Map<string, unknown>([
  ["true", true],
  ["false", false],
  ["null", null]
])

class Reader {
  readonly #text: string
  readonly #json: boolean
  readonly #maxValues: number
  #at = 0
  #depth = 0
  #values = 0
  /** The start of the last block's line, and the offset up to which line ends were searched. */
  #line = 0
  #searched = 0

  constructor(text: string, dialect: "json" | "hjson", maxValues = Number.POSITIVE_INFINITY) {
    this.#text = text
    this.#maxValues = maxValues
    this.#json = dialect === "json"
  }

  root(): Marked {
    this.#blanks()
    if (this.#at >= this.#text.length) return this.#fail("The file is empty")
    const braces = this.#json || this.#char() === "{" || this.#char() === "["
    const marked = braces ? this.#value() : this.#object(true)
    this.#blanks()
    if (this.#at < this.#text.length) this.#fail(`Expected the end of the document, found ${this.#found()}`)
    return marked
  }

  #char(): string {
    return this.#text.charAt(this.#at)
  }

  #found(): string {
    const code = this.#text.codePointAt(this.#at)
    return code === undefined ? "the end of the file" : JSON.stringify(String.fromCodePoint(code))
  }

  #fail(detail: string, at = this.#at): never {
    throw new TextFault(detail, at)
  }

  /** Skips blanks and, in HJSON, comments. */
  #blanks(): void {
    const text = this.#text
    while (this.#at < text.length) {
      const char = this.#char()
      if (this.#json ? jsonBlanks.includes(char) : char <= " ") this.#at++
      else if (this.#json) return
      else if (char === "#" || text.startsWith("//", this.#at)) this.#at = this.#lineEnd()
      else if (text.startsWith("/*", this.#at)) {
        const end = text.indexOf("*/", this.#at + 2)
        if (end === -1) this.#fail("The comment is not closed")
        this.#at = end + 2
      } else return
    }
  }

  #lineEnd(): number {
    const end = this.#text.indexOf("\n", this.#at)
    return end === -1 ? this.#text.length : end
  }

  #value(): Marked {
    this.#blanks()
    if (++this.#values > this.#maxValues) this.#fail(`The document has more than ${this.#maxValues} values`)
    const char = this.#char()
    if (char === "{") return this.#object(false)
    if (char === "[") return this.#list()
    const at = this.#at
    const isQuoted = char === '"' || (char === "'" && !this.#json)
    const value = isQuoted ? this.#quoted(true) : this.#json ? this.#literal() : this.#quoteless()
    return { value, mark: { at, end: this.#at } }
  }

  #deeper(): void {
    if (++this.#depth > maxDepth) this.#fail(`The document is nested deeper than ${maxDepth} levels`)
  }

  #object(bare: boolean): Marked {
    const at = this.#at
    this.#deeper()
    if (!bare) this.#at++
    const value: Record<string, unknown> = {}
    const members = new Map<string, Mark>()
    const close = () => (bare ? this.#at >= this.#text.length : this.#char() === "}")
    let end = at
    this.#blanks()
    while (!close()) {
      const keyAt = this.#at
      const key = this.#key()
      if (members.has(key)) this.#fail(`The key ${JSON.stringify(key)} occurs twice in the same object`, keyAt)
      if (this.#char() !== ":") this.#fail(`Expected ":" after the key, found ${this.#found()}`)
      this.#at++
      const member = this.#value()
      setMember(value, key, member.value)
      members.set(key, { ...member.mark, keyAt })
      end = member.mark.end
      this.#separator("}", close)
    }
    if (!bare) end = ++this.#at
    this.#depth--
    return { value, mark: { at, end, members } }
  }

  #list(): Marked {
    const at = this.#at++
    this.#deeper()
    const value: Array<unknown> = []
    const items: Array<Mark> = []
    const close = () => this.#char() === "]"
    this.#blanks()
    while (!close()) {
      const item = this.#value()
      value.push(item.value)
      items.push(item.mark)
      this.#separator("]", close)
    }
    this.#at++
    this.#depth--
    return { value, mark: { at, end: this.#at, items } }
  }

  /** The separator between two members. In HJSON the comma is optional, and allowed after the last member. */
  #separator(end: string, close: () => boolean): void {
    this.#blanks()
    const comma = this.#char() === ","
    if (comma) {
      const at = this.#at++
      this.#blanks()
      if (this.#json && close()) this.#fail(`JSON does not allow a comma before ${JSON.stringify(end)}`, at)
    } else if (this.#json && !close()) this.#fail(`Expected "," or "${end}", found ${this.#found()}`)
    if (this.#at >= this.#text.length && !close()) this.#fail(`Expected "${end}", found the end of the file`)
  }

  /** The key and the blanks after it. Only a quoted key may be followed by a comment. */
  #key(): string {
    const char = this.#char()
    if (char === '"' || (char === "'" && !this.#json)) {
      const key = this.#quoted(false)
      this.#blanks()
      return key
    }
    if (this.#json) return this.#fail(`Expected a key in double quotes, found ${this.#found()}`)
    const start = this.#at
    while (this.#at < this.#text.length && this.#char() > " " && !punctuators.includes(this.#char())) this.#at++
    if (this.#at === start) this.#fail(`Expected a key, found ${this.#found()}`)
    const key = this.#text.slice(start, this.#at)
    while (this.#at < this.#text.length && this.#char() <= " ") this.#at++
    return key
  }

  #literal(): unknown {
    jsonLiteral.lastIndex = this.#at
    const literal = jsonLiteral.exec(this.#text)?.[0]
    if (literal === undefined) return this.#fail(`Expected a value, found ${this.#found()}`)
    const at = this.#at
    this.#at += literal.length
    return words.has(literal) ? words.get(literal) : numberOf(literal, at)
  }

  /** A number, a keyword, or else the whole rest of the line. */
  #quoteless(): unknown {
    const char = this.#char()
    if (char === "" || punctuators.includes(char)) return this.#fail(`Expected a value, found ${this.#found()}`)
    for (const pattern of [hjsonNumber, hjsonWord]) {
      pattern.lastIndex = this.#at
      const found = pattern.exec(this.#text)
      if (found === null) continue
      const literal = found[1]!
      const at = this.#at
      this.#at += literal.length
      return words.has(literal) ? words.get(literal) : numberOf(literal, at)
    }
    quotelessText.lastIndex = this.#at
    const rest = quotelessText.exec(this.#text)?.[0] ?? ""
    this.#at += rest.length
    // The blanks at the end do not belong to the value.
    while (this.#text.charAt(this.#at - 1) <= " ") this.#at--
    return rest.trim()
  }

  #quoted(multiline: boolean): string {
    const start = this.#at
    const quote = this.#char()
    if (multiline && quote === "'" && this.#text.startsWith("'''", start)) return this.#block()
    let text = ""
    let from = ++this.#at
    for (;;) {
      const char = this.#char()
      if (char === quote) {
        text += this.#text.slice(from, this.#at++)
        return text
      }
      if (char === "\\") {
        text += this.#text.slice(from, this.#at) + this.#escape()
        from = this.#at
      } else if (char === "" || char === "\n" || char === "\r") this.#fail("The quoted text is not closed", start)
      else if (this.#json && char < " ")
        this.#fail("JSON does not allow control characters in a text: write them as \\u")
      else this.#at++
    }
  }

  #escape(): string {
    const at = this.#at++
    const char = this.#char()
    this.#at++
    if (char === "u") {
      const digits = this.#text.slice(this.#at, this.#at + 4)
      if (!/^[0-9a-fA-F]{4}$/.test(digits)) this.#fail("Expected four hexadecimal digits after \\u", at)
      this.#at += 4
      return String.fromCharCode(Number.parseInt(digits, 16))
    }
    const escaped = this.#json && char === "'" ? undefined : escapes.get(char)
    return escaped ?? this.#fail(`Unknown escape \\${char}`, at)
  }

  /**
   * `'''…'''`: the column of the opening quotes is the left margin. The first and the last line end do not belong to
   * the text.
   */
  #block(): string {
    const start = this.#at
    // Searches the start of the line only in the text since the last block, because the line may be long.
    const newline = this.#text.slice(this.#searched, start).lastIndexOf("\n")
    if (newline !== -1) this.#line = this.#searched + newline + 1
    this.#searched = start
    const margin = start - this.#line
    const end = this.#text.indexOf("'''", start + 3)
    if (end === -1) this.#fail("The text in ''' is not closed")
    this.#at = end + 3
    const [first = "", ...rest] = this.#text.slice(start + 3, end).split("\n")
    const unindent = (line: string, margin: number) => {
      let from = 0
      while (from < margin && from < line.length && line.charAt(from) <= " ") from++
      return line.slice(from).replaceAll("\r", "")
    }
    const indented = rest.map((line) => unindent(line, margin))
    // Blanks before the text are dropped, and an empty first line too.
    const head = unindent(first, first.length)
    const all = head === "" && rest.length > 0 ? indented : [head, ...indented]
    return all.length > 1 && all.at(-1) === "" ? all.slice(0, -1).join("\n") : all.join("\n")
  }
}

import { allOf, anyOf, noneOf, type Query } from "../Query.ts"
import { TextClauses, TextFault, type TextOptions } from "./TextClauses.ts"
import type { Place } from "./ValueReader.ts"

const names = [
  ...(["ALL", "NONE", "AND", "OR", "NOT", "PHRASE", "PRECEDENCE", "PREFIX", "ESCAPE", "WHITESPACE"] as const),
  ...(["FUZZY", "NEAR", "SLOP"] as const)
]
type Flag = (typeof names)[number]

/** The operators of a text; undefined when one is unknown. */
export const simpleFlags = (place: Place | undefined): ReadonlySet<Flag> | undefined => {
  if (place === undefined) return new Set(["ALL"])
  const given = place.text()?.split("|") ?? []
  const known = given.flatMap((one) => names.find((name) => name === one.trim().toUpperCase()) ?? [])
  if (given.length > 0 && known.length === given.length) return new Set(known)
  return place.fault(`Expected flags such as ${names.join(", ")}, joined by |`)
}

const deepest = 32
const mostClauses = 1024

/** What the clauses so far are joined by; a single one is joined by nothing. */
interface Joined {
  readonly by: "and" | "or" | undefined
  readonly queries: ReadonlyArray<Query>
}

const joined = ({ by, queries }: Joined): Query => (by === "or" ? anyOf(queries) : allOf(queries))

/**
 * Parses the language of `simple_query_string`. Operators have no precedence: each joins what stands before it with the
 * next clause. What makes no sense is ignored, so no text is a fault.
 */
export class SimpleTextParser {
  readonly #text: string
  readonly #options: TextOptions
  readonly #flags: ReadonlySet<Flag>
  readonly #clauses: TextClauses
  #at = 0
  #depth = 0
  #count = 0

  constructor(text: string, options: TextOptions, flags: ReadonlySet<Flag>) {
    this.#text = text
    this.#options = options
    this.#flags = flags
    this.#clauses = new TextClauses(options)
  }

  read(): Query {
    const found = this.#sequence(this.#options.fields, this.#text.length)
    if (found === undefined) return { _tag: "None" }
    if (found.by !== "or" || this.#options.minimum === undefined) return joined(found)
    return anyOf(found.queries, Math.max(1, this.#options.minimum(found.queries.length) ?? 1))
  }

  #has(flag: Flag): boolean {
    return this.#flags.has("ALL") || this.#flags.has(flag)
  }

  #sequence(fields: ReadonlyArray<string>, end: number): Joined | undefined {
    if (++this.#depth > deepest) throw new TextFault(`A query text has at most ${deepest} levels`)
    let found: Joined | undefined
    let operator: "and" | "or" | undefined
    while (this.#at < end) {
      const sign = this.#operator()
      if (sign !== undefined) {
        if (found !== undefined) operator ??= sign
        continue
      }
      const isNegated = this.#negated()
      const query = this.#clause(fields, end)
      if (query === undefined) continue
      if (++this.#count > mostClauses) throw new TextFault(`A query text has at most ${mostClauses} clauses`)
      const one = isNegated ? noneOf([query]) : query
      const by = operator ?? (this.#options.all ? "and" : "or")
      if (found === undefined) found = { by: undefined, queries: [one] }
      else if (found.by === by || found.by === undefined) found = { by, queries: [...found.queries, one] }
      else found = { by, queries: [joined(found), one] }
      operator = undefined
    }
    this.#depth--
    return found
  }

  /** Consumes `+`, `|`, AND or OR. */
  #operator(): "and" | "or" | undefined {
    const character = this.#text[this.#at]
    if (character === "+" && this.#has("AND")) return this.#skip(1, "and")
    if (character === "|" && this.#has("OR")) return this.#skip(1, "or")
    if (this.#isWord("AND") && this.#has("AND")) return this.#skip(3, "and")
    return this.#isWord("OR") && this.#has("OR") ? this.#skip(2, "or") : undefined
  }

  #skip<A>(count: number, value: A): A {
    this.#at += count
    return value
  }

  #isWord(word: string): boolean {
    if (!this.#text.startsWith(word, this.#at)) return false
    const isEdge = (character: string | undefined) => character === undefined || /[\s()"]/.test(character)
    return isEdge(this.#text[this.#at - 1]) && isEdge(this.#text[this.#at + word.length])
  }

  /** Consumes `-` and NOT: an even number of them is none. */
  #negated(): boolean {
    let isNegated = false
    for (;;) {
      if (this.#has("NOT") && this.#text[this.#at] === "-") this.#at++
      else if (this.#has("NOT") && this.#isWord("NOT")) {
        this.#at += 3
        while (/\s/.test(this.#text[this.#at] ?? "")) this.#at++
      } else return isNegated
      isNegated = !isNegated
    }
  }

  #clause(fields: ReadonlyArray<string>, end: number): Query | undefined {
    const character = this.#text[this.#at] ?? ""
    if (this.#has("WHITESPACE") && /\s/.test(character)) return this.#skip(1, undefined)
    if (this.#has("PRECEDENCE") && character === ")") return this.#skip(1, undefined)
    if (this.#has("PRECEDENCE") && character === "(") return this.#group(fields, end)
    if (this.#has("PHRASE") && character === '"') return this.#phrase(fields, end)
    return this.#token(fields, end)
  }

  /** The position of the character that ends what begins here; undefined when there is none. */
  #endOf(open: string, close: string, end: number): number | undefined {
    let level = 0
    for (let at = this.#at; at < end; at++) {
      if (this.#text[at] === "\\" && this.#has("ESCAPE")) at++
      else if (this.#text[at] === close && (open !== close || at > this.#at)) {
        if (open === close || --level === 0) return at
      } else if (this.#text[at] === open) level++
    }
    return undefined
  }

  #group(fields: ReadonlyArray<string>, end: number): Query | undefined {
    const close = this.#endOf("(", ")", end)
    this.#at++
    if (close === undefined) return undefined
    const found = this.#sequence(fields, close)
    this.#at = close + 1
    return found === undefined ? undefined : joined(found)
  }

  #phrase(fields: ReadonlyArray<string>, end: number): Query | undefined {
    const close = this.#endOf('"', '"', end)
    if (close === undefined) return this.#skip(1, undefined)
    const text = this.#unescaped(this.#text.slice(this.#at + 1, close))
    this.#at = close + 1
    const given = this.#has("NEAR") || this.#has("SLOP") ? this.#tilde(end) : undefined
    const slop = /^\d+$/.test(given ?? "") ? Number(given) : undefined
    return text.trim() === "" ? undefined : this.#clauses.phrase(fields, text, slop)
  }

  /** Consumes `~` and what follows it; undefined without one. */
  #tilde(end: number): string | undefined {
    if (this.#text[this.#at] !== "~") return undefined
    const start = ++this.#at
    while (this.#at < end && !this.#isEnd(this.#text[this.#at] ?? "")) this.#at++
    return this.#text.slice(start, this.#at)
  }

  #isEnd(character: string): boolean {
    return (
      (character === '"' && this.#has("PHRASE")) ||
      (character === "|" && this.#has("OR")) ||
      (character === "+" && this.#has("AND")) ||
      ((character === "(" || character === ")") && this.#has("PRECEDENCE")) ||
      (/\s/.test(character) && this.#has("WHITESPACE"))
    )
  }

  #unescaped(text: string): string {
    return this.#has("ESCAPE") ? text.replace(/\\([\s\S])/gu, "$1") : text
  }

  #token(fields: ReadonlyArray<string>, end: number): Query | undefined {
    const start = this.#at
    for (; this.#at < end && !this.#isEnd(this.#text[this.#at] ?? ""); this.#at++) {
      const character = this.#text[this.#at]
      if (character === "\\" && this.#has("ESCAPE")) this.#at++
      else if (character === ":" && this.#at > start) return this.#named(this.#text.slice(start, this.#at), end)
      else if (character === "~" && this.#at > start && this.#has("FUZZY")) return this.#fuzzy(fields, start, end)
    }
    // A backslash at the end escapes nothing.
    const written = this.#text.slice(start, this.#at > end ? end - 1 : this.#at)
    this.#at = Math.min(this.#at, end)
    return written === "" ? undefined : this.#word(fields, written)
  }

  #word(fields: ReadonlyArray<string>, written: string): Query {
    const escaped = this.#has("ESCAPE") ? written : written.replaceAll("\\", "\\\\")
    // Only `*` is a wildcard.
    const plain = this.#has("PREFIX") ? "?" : "?*"
    return this.#clauses.word(
      fields,
      escaped.replace(/\\[\s\S]|[?*]/gu, (part) => (plain.includes(part) ? `\\${part}` : part))
    )
  }

  #fuzzy(fields: ReadonlyArray<string>, start: number, end: number): Query | undefined {
    const word = this.#text.slice(start, this.#at)
    const edits = this.#tilde(end) ?? ""
    if (!/^\d*$/.test(edits)) return this.#word(fields, word)
    return this.#clauses.fuzzy(fields, word, String(Math.min(2, edits === "" ? 2 : Number(edits))))
  }

  /** `field:clause`. */
  #named(written: string, end: number): Query | undefined {
    const name = this.#clauses.field(written)
    this.#at++
    const next = this.#text[this.#at]
    if (next !== undefined && /[<>[{/]/.test(next)) {
      throw new TextFault(`A range or a regular expression needs query_string, or escape ${next} with a backslash`)
    }
    if (this.#at >= end || (this.#isEnd(next ?? "") && next !== "(" && next !== '"')) return undefined
    if (name !== "_exists_") return this.#clause([name], end)
    const start = this.#at
    while (this.#at < end && !this.#isEnd(this.#text[this.#at] ?? "")) this.#at++
    return this.#clauses.exists(this.#clauses.field(this.#text.slice(start, this.#at)))
  }
}

import { endOf, type Recognizer, recognizers } from "./Recognizer.ts"

/** A part of a structure that lines have in common. */
export type Element =
  | { readonly kind: "text"; readonly text: string }
  /** Blanks, as many as there are. */
  | { readonly kind: "blanks" }
  | { readonly kind: "recognized"; readonly recognizer: Recognizer }
  /** A token without blanks. It says little when it is the same in all lines. */
  | { readonly kind: "token"; readonly isSame: boolean }
  /** A text up to what follows, or the rest of the line. */
  | { readonly kind: "data" | "rest" }
  /** A program, with or without its process id. */
  | { readonly kind: "program" }
  /** A program and the colon and blank after it, which not all lines have. */
  | { readonly kind: "perhapsProgram" }

const closers: Readonly<Record<string, string>> = { "[": "]", "(": ")", "{": "}", "<": ">", '"': '"', "'": "'" }
const punctuation = /[^\w\s]/
const blank = /[ \t]/
/** The longest text between brackets or separators. */
const longest = 400
/** Tokens that may stand before something that all lines have. */
const ahead = 4

const blanksAt = (line: string, from: number): number => {
  let to = from
  while (to < line.length && blank.test(line[to]!)) to++
  return to
}

const tokenEnd = (line: string, from: number): number => {
  let to = from
  while (to < line.length && !blank.test(line[to]!)) to++
  return to
}

/** Where the bracket that was opened before `from` is closed, nested ones left out; -1 if it is not. */
const closedAt = (line: string, from: number, open: string, close: string): number => {
  let depth = 0
  for (let at = from; at < Math.min(line.length, from + longest); at++) {
    const one = line[at]!
    if (one === close && depth === 0) return at
    if (open !== close && one === open) depth++
    if (open !== close && one === close) depth--
  }
  return -1
}

/** The program of a syslog line, with or without its process id. */
const program = /[^\s:[\]]+(?:\[\d+\])?:(?= |$)/y

const areSame = (tokens: ReadonlyArray<string>): boolean => new Set(tokens).size === 1

const allEnd = (find: (line: string, index: number) => number, lines: ReadonlyArray<string>) => {
  const ends: Array<number> = []
  for (const [index, line] of lines.entries()) {
    const end = find(line, index)
    if (end < 0) return undefined
    ends.push(end)
  }
  return ends
}

/**
 * The structure that all lines have in common, from their beginning: what is recognised, what is the same punctuation,
 * and the tokens between them. Where lines go on as free text it ends with their rest. With `deep`, words that all lines
 * have are part of it, which is right for lines of one template only.
 */
export const structureOf = (lines: ReadonlyArray<string>, deep: boolean): ReadonlyArray<Element> => {
  const elements: Array<Element> = []
  const open: Array<string> = []
  let at = lines.map(() => 0)

  const text = (one: string) => {
    const last = elements.at(-1)
    if (last?.kind === "text") elements[elements.length - 1] = { kind: "text", text: last.text + one }
    else elements.push({ kind: "text", text: one })
  }
  const ends = (find: (line: string, from: number) => number, from = at) =>
    allEnd((line, index) => find(line, from[index]!), lines)

  /** The first recognizer that fits all lines there. */
  const recognized = (from: ReadonlyArray<number>) => {
    for (const [index, recognizer] of recognizers.entries()) {
      const found = allEnd((line, number) => endOf(index, line, from[number]!), lines)
      if (found !== undefined) return { recognizer, found }
    }
    return undefined
  }

  /** What all the tokens end with, as far as it is punctuation. */
  const commonTail = (tokens: ReadonlyArray<string>): string => {
    let tail = ""
    for (;;) {
      const [first] = tokens as [string]
      const next = first[first.length - tail.length - 1]
      if (next === undefined || !/[:,;\])}>]/.test(next) || tail.length >= 3) return tail
      if (!tokens.every((token) => token.length > tail.length + 1 && token.endsWith(next + tail))) return tail
      tail = next + tail
    }
  }

  /** Whether something that is more than a word follows within a few tokens, in all lines. */
  const hasAnchor = (from: ReadonlyArray<number>): boolean => {
    let places = [...from]
    for (let step = 0; step < ahead; step++) {
      const next = allEnd((line, index) => {
        const end = blanksAt(line, places[index]!)
        return end < line.length && end > places[index]! ? end : -1
      }, lines)
      if (next === undefined) return false
      if (recognized(next) !== undefined) return true
      const stops = lines.map((line, index) => tokenEnd(line, next[index]!))
      const tokens = lines.map((line, index) => line.slice(next[index], stops[index]))
      if (/[:\]]/.test(commonTail(tokens)) || tokens.every((token) => token === "-" || token === "|")) return true
      const [mark] = tokens as [string]
      if (punctuation.test(mark[0]!) && tokens.every((token) => token[0] === mark[0])) return true
      places = stops
    }
    return false
  }

  const mostHaveProgram = (): boolean => {
    const found = lines.filter((line, index) => {
      program.lastIndex = at[index]!
      return program.test(line)
    })
    return found.length * 2 >= lines.length
  }

  const token = (): boolean => {
    const stops = ends(tokenEnd)!
    const tokens = lines.map((line, index) => line.slice(at[index], stops[index]))
    if (tokens.some((one) => one === "")) return false
    const afterTime = elements.some((one) => one.kind === "recognized" && one.recognizer.weight >= 8)
    const programs = ends((line, from) => {
      program.lastIndex = from
      return program.test(line) ? program.lastIndex : -1
    })
    if (programs !== undefined && afterTime && tokens.some((one) => one.endsWith("]:"))) {
      elements.push({ kind: "program" })
      text(":")
      at = programs
      return true
    }
    const last = elements.findLast((one) => one.kind !== "text" && one.kind !== "blanks")
    const isSyslog = elements.some((one) => one.kind === "recognized" && one.recognizer.bank === "SYSLOGTIMESTAMP")
    if (isSyslog && last?.kind !== "recognized" && mostHaveProgram()) {
      elements.push({ kind: "perhapsProgram" })
      return false
    }
    const isHost = last?.kind === "recognized" && last.recognizer.bank === "SYSLOGTIMESTAMP"
    const tail = commonTail(tokens)
    const cut = stops.map((stop) => stop - tail.length)
    // A separator within all tokens, such as the bracket of a process id.
    const inner = tokens.map((one) => /[[(=|@]/.exec(one)?.index ?? -1)
    const marks = new Set(tokens.map((one, index) => one[inner[index]!]))
    if (inner.every((index) => index > 0) && marks.size === 1) {
      elements.push({ kind: "token", isSame: areSame(tokens.map((one, index) => one.slice(0, inner[index]))) })
      at = at.map((from, index) => from + inner[index]!)
      return true
    }
    const upper = tokens.every((one) => /^[A-Z][A-Z_]{0,15}$/.test(one)) && new Set(tokens).size <= 20
    const isLast = stops.every((stop, index) => stop === lines[index]!.length)
    if (!(deep || isHost || tail.includes(":") || (tail !== "" && afterTime) || upper || isLast || hasAnchor(stops)))
      return false
    elements.push({ kind: "token", isSame: areSame(tokens) })
    at = cut
    return true
  }

  /** Whether the words at this place are the same and stand alone, in all lines. */
  const commonWord = (): string | undefined => {
    const words = lines.map((line, index) => /^[A-Za-z_][\w.-]*/.exec(line.slice(at[index], at[index]! + 100))?.[0])
    const [first] = words
    if (first === undefined || words.some((word) => word !== first)) return undefined
    const after = new Set(lines.map((line, index) => line[at[index]! + first.length]))
    return deep || (after.size === 1 && after.has("=")) ? first : undefined
  }

  for (;;) {
    const over = lines.filter((line, index) => at[index] === line.length).length
    if (over === lines.length) return elements
    if (over > 0) break
    const gaps = ends(blanksAt)!
    if (gaps.every((gap, index) => gap > at[index]!)) {
      const same = new Set(gaps.map((gap, index) => lines[index]!.slice(at[index], gap)))
      if (same.size === 1) text([...same][0]!)
      else elements.push({ kind: "blanks" })
      at = gaps
      continue
    }
    if (gaps.some((gap, index) => gap > at[index]!)) break
    const separator = separatorOf(lines, at)
    const found = recognized(at)
    if (found !== undefined) {
      elements.push({ kind: "recognized", recognizer: found.recognizer })
      at = found.found
      continue
    }
    const [mark] = lines.map((line, index) => line[at[index]!]) as [string]
    if (punctuation.test(mark) && lines.every((line, index) => line[at[index]!] === mark)) {
      text(mark)
      at = at.map((from) => from + 1)
      if (open.at(-1) === mark) open.pop()
      else if (closers[mark] !== undefined) open.push(closers[mark])
      continue
    }
    const close = open.at(-1)
    if (close !== undefined) {
      const opener = Object.keys(closers).find((one) => closers[one] === close)!
      const closing = ends((line, from) => closedAt(line, from, opener, close))
      open.pop()
      if (closing !== undefined) {
        elements.push({ kind: "data" })
        text(close)
        at = closing.map((end) => end + 1)
        continue
      }
    }
    if (separator !== undefined) {
      elements.push({ kind: "data" })
      at = ends((line, from) => line.indexOf(separator, from))!
      continue
    }
    const word = commonWord()
    if (word !== undefined) {
      text(word)
      at = at.map((from) => from + word.length)
      continue
    }
    if (!token()) break
  }
  elements.push({ kind: "rest" })
  return elements
}

/** A character or a dash between blanks that separates the fields of all lines, as many in each. */
const separatorOf = (lines: ReadonlyArray<string>, at: ReadonlyArray<number>): string | undefined => {
  const rests = lines.map((line, index) => line.slice(at[index]))
  for (const one of ["|", "\t", ";", " - ", " -- ", " => "]) {
    const isField = one.length === 1
    if (rests.every((rest) => rest.indexOf(one) > 0 && rest.indexOf(one) < (isField ? longest : 60))) return one
  }
  return undefined
}

import { SyntaxFault } from "../../PatternError.ts"
import { scanReference } from "./ReferenceScanner.ts"
import {
  type Choice,
  isSwitch,
  type Mark,
  type Node,
  type Reference,
  type Sequence,
  semanticPattern,
  withoutMarks
} from "./Syntax.ts"

const escapePattern =
  /\\(?:x\{[^}]*\}|x[0-9A-Fa-f]{1,2}|u[0-9A-Fa-f]{4}|[pP]\{[^}]*\}|c.|C-.|M-\\?.|[0-7]{2,3}|[\s\S])/uy
const backreferencePattern = /\\([kg])(?:<([^>]*)>|'([^']*)')/y
const quantifierPattern = /(?:[*+?]|\{(\d+)\}|\{(\d*),(\d*)\})([?+]?)/y
const optionsPattern = /\(\?[imxadu]*(?:-[imx]*)?([:)])/y
const namePattern = /\(\?(?:<([^>=!][^>]*)>|'([^']+)')/y

const at = (pattern: RegExp, text: string, index: number): RegExpExecArray | null => {
  pattern.lastIndex = index
  return pattern.exec(text)
}

/** Maximum nesting of groups. Deeper nesting would overflow the stack of every function that walks the tree. */
const maxDepth = 250

/**
 * The reference at `start`. Undefined when the text is not a reference and `lenient` treats it as literal text, as
 * Elasticsearch does.
 */
const reference = (text: string, start: number, lenient: boolean): Reference | undefined => {
  try {
    const found = scanReference(text, start)
    return lenient && found.ignored !== undefined ? undefined : found
  } catch (fault) {
    if (lenient && text.includes("}", start)) return undefined
    throw fault
  }
}

/**
 * Parses an expression or definition. Throws {@link SyntaxFault} with the offsets of the faulty text. With `lenient`,
 * an invalid reference is literal text.
 */
export const parse = (text: string, lenient = false): Node => {
  let index = 0
  let extended = false
  let depth = 0

  const parseChoice = (opening: number): Node => {
    const outerExtended = extended
    const choice = parseBranches()
    extended = outerExtended
    if (opening < 0 && index < text.length) throw new SyntaxFault("unmatched )", index, index + 1)
    if (opening >= 0 && index >= text.length) throw new SyntaxFault("unclosed group", opening, text.length)
    return choice
  }

  const parseBranches = (): Sequence | Choice => {
    const start = index
    const first = parseSequence()
    if (text[index] !== "|") return first
    const branches: Array<Node> = [first]
    while (text[index] === "|") {
      index++
      branches.push(parseSequence())
    }
    return { kind: "choice", branches, start, end: index }
  }

  const parseSequence = (): Sequence => {
    const start = index
    const items: Array<Node> = []
    while (index < text.length && text[index] !== "|" && text[index] !== ")") {
      const item = parseItem()
      if (item.kind === "mark" && isSwitch(item)) {
        items.push(...switched(item))
        break
      }
      items.push(item.kind === "mark" ? item : parseQuantifiers(item))
    }
    return { kind: "sequence", items, start, end: index }
  }

  /** What an option switch applies to: in Oniguruma all that is left of the group, so `a(?i)b|c` is `a(?i)(?:b|c)`. */
  const switched = (mark: Mark): ReadonlyArray<Node> => {
    enter(mark.start)
    const rest = parseBranches()
    depth--
    if (rest.kind === "sequence") return [mark, ...rest.items]
    return [mark, { kind: "group", open: "(?:", body: rest, start: mark.end, end: index }]
  }

  const parseQuantifiers = (atom: Node): Node => {
    let node = atom
    for (;;) {
      const found = at(quantifierPattern, text, index)
      if (found === null || found[0] === "{,}") return node
      const [, exact, from, to, suffix] = found
      const braces = found[0].startsWith("{")
      if (braces && exact === undefined && from === "" && to === "") return node
      // In Ruby's syntax a plus after braces is another repetition, not a possessive quantifier.
      const quantifier = braces && suffix === "+" ? found[0].slice(0, -1) : found[0]
      const min = exact ?? from ?? (found[0].startsWith("+") ? "1" : "0")
      const max = exact ?? (to === undefined ? (found[0].startsWith("?") ? "1" : "") : to)
      index += quantifier.length
      node = {
        kind: "repeat",
        node,
        quantifier,
        min: Number(min),
        max: max === "" ? Number.POSITIVE_INFINITY : Number(max),
        start: atom.start,
        end: index
      }
    }
  }

  const parseItem = (): Node => {
    const start = index
    const character = text[index]!
    const take = (length: number) => {
      index = start + length
      return text.slice(start, index)
    }
    if (character === "\\") {
      const back = at(backreferencePattern, text, index)
      if (back !== null) {
        take(back[0].length)
        const letter = back[1] === "g" ? "g" : "k"
        return { kind: "backreference", letter, name: back[2] ?? back[3] ?? "", start, end: index }
      }
      const escape = at(escapePattern, text, index)
      if (escape === null) throw new SyntaxFault("a backslash at the end", start, text.length)
      return { kind: "atom", text: take(escape[0].length), start, end: index }
    }
    if (character === "%" && text[index + 1] === "{") {
      const found = reference(text, index, lenient)
      if (found === undefined) return { kind: "atom", text: take(1), start, end: index }
      index = found.end
      return found
    }
    if (character === "(") return parseGroup()
    if (character === "[")
      return { kind: "class", text: literalHyphens(take(classLength(text, start))), start, end: index }
    if (extended && /\s/.test(character)) return { kind: "mark", text: take(1), start, end: index }
    if (extended && character === "#") {
      const newline = text.indexOf("\n", index)
      return { kind: "mark", text: take((newline < 0 ? text.length : newline) - start), start, end: index }
    }
    if (character === "*" || character === "+" || character === "?")
      throw new SyntaxFault("nothing to repeat", start, start + 1)
    const code = text.codePointAt(index)!
    return { kind: "atom", text: take(code > 0xffff ? 2 : 1), start, end: index }
  }

  const parseGroup = (): Node => {
    const start = index
    if (text.startsWith("(?#", index)) {
      const close = text.indexOf(")", index)
      if (close < 0) throw new SyntaxFault("unclosed comment", start, text.length)
      index = close + 1
      return { kind: "mark", text: text.slice(start, index), start, end: index }
    }
    const options = at(optionsPattern, text, index)
    if (options !== null && options[0] !== "(?)") {
      index += options[0].length
      const [on, off] = options[0].split("-")
      const before = extended
      extended = on!.includes("x") || (extended && !(off ?? "").includes("x"))
      if (options[1] === ")") return { kind: "mark", text: options[0], start, end: index }
      const group = closeGroup(start, options[0])
      extended = before
      return group
    }
    const named = at(namePattern, text, index)
    if (named !== null) {
      const name = withoutMarks(named[1] ?? named[2]!)
      if (!semanticPattern.test(name)) throw new SyntaxFault(`bad group name "${name}"`, start, start + named[0].length)
      index += named[0].length
      return closeGroup(start, "(", name)
    }
    const open = /\(\?(?:<[=!]|[=!>~])|\((?!\?)/y
    const plain = at(open, text, index)
    if (plain === null) throw new SyntaxFault("unknown kind of group", start, Math.min(text.length, start + 4))
    index += plain[0].length
    return closeGroup(start, plain[0])
  }

  const enter = (start: number): void => {
    if (++depth > maxDepth) throw new SyntaxFault(`groups nested more than ${maxDepth} deep`, start, index)
  }

  const closeGroup = (start: number, open: string, name?: string): Node => {
    enter(start)
    const body = parseChoice(start)
    depth--
    index++
    return name === undefined
      ? { kind: "group", open, body, start, end: index }
      : { kind: "group", open, name, body, start, end: index }
  }

  return parseChoice(-1)
}

/** Escapes hyphens next to a shorthand, as in `[\\w-.]`: Ruby takes them literally, the translator rejects them. */
const literalHyphens = (text: string): string =>
  text.replace(
    /(\\[pP]\{[^}]*\}|\\[wWdDsShH]|\[:\^?[a-z]+:\])-(?!\])|-(?=\\[wWdDsShHpP]|\[:)|\\[\s\S]/g,
    (whole: string, shorthand: string | undefined) =>
      shorthand !== undefined ? `${shorthand}\\-` : whole === "-" ? "\\-" : whole
  )

/** The length of the class that starts at `start`, including nested classes and POSIX brackets. */
const classLength = (text: string, start: number): number => {
  let depth = 0
  let index = start
  while (index < text.length) {
    const character = text[index]!
    if (character === "\\") {
      index += 2
      continue
    }
    if (character === "[") {
      const posix = at(/\[:\^?[a-z]+:\]/y, text, index)
      if (posix !== null) {
        index += posix[0].length
        continue
      }
      depth++
      index++
      if (text[index] === "^") index++
      // A bracket that would close an empty class is literal.
      if (text[index] === "]" && text.indexOf("]", index + 1) > 0) index++
      continue
    }
    index++
    if (character === "]" && --depth === 0) return index - start
  }
  throw new SyntaxFault("unclosed character class", start, text.length)
}

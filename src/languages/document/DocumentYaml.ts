import {
  Composer,
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  Lexer,
  type Node,
  type ParsedNode,
  Parser
} from "yaml"
import { type Fault, type Mark, type Marked, maxDepth, numberOf, setMember, TextFault } from "./DocumentSource.ts"

/** Parsing this many tokens takes about a second; larger data must be written as JSON. */
const mostTokens = 400_000
/** Maximum number of values, including those repeated by aliases. */
const maxValues = 250_000
/** Maximum number of characters of all texts, including those repeated by aliases: twice the maximum of a file. */
const maxCharacters = 8 * 1024 * 1024
const maxFaults = 100

/** Lexer tokens that represent no text: start of document, end of a flow collection, start of a scalar. */
const marks = new Set(["\u0002", "\u0018", "\u001f"])

/**
 * Reads one YAML 1.2 document (core schema) with the position of every value, or describes its faults. Anchors and
 * aliases are allowed within limits; custom tags, duplicate keys and several documents are not.
 */
export const readYaml = (text: string, maxTokens: number = mostTokens): Marked | ReadonlyArray<Fault> => {
  // The library makes an error for each fault, and their stacks, which nobody sees, take most of the time.
  const { stackTraceLimit } = Error
  Error.stackTraceLimit = 0
  try {
    const [document, second] = compose(text, maxTokens)
    if (document === undefined) return [{ detail: "The file is empty", at: 0 }]
    if (second !== undefined) {
      return [{ detail: "The file has more than one document", at: second.contents?.range?.[0] ?? second.range[0] }]
    }
    const unresolved = document.warnings.filter(({ code }) => code === "TAG_RESOLVE_FAILED")
    const faults = [...document.errors, ...unresolved].slice(0, maxFaults)
    if (faults.length > 0) return faults.map(({ message, pos }) => ({ detail: withCure(message), at: pos[0] }))
    const { contents } = document
    if (contents === null || (isScalar(contents) && contents.value === null && contents.source === "")) {
      return [{ detail: "The file is empty", at: 0 }]
    }
    const walk = new Walk()
    const marked = walk.value(contents, 0)
    return walk.faults.length > 0 ? walk.faults : marked
  } catch (cause) {
    if (cause instanceof TextFault) return [cause]
    throw cause
  } finally {
    Error.stackTraceLimit = stackTraceLimit
  }
}

/** What mends the faults that patterns cause when they stand in YAML as they are. */
const cures: ReadonlyArray<readonly [fault: RegExp, cure: string]> = [
  [/^Plain value cannot start with/, ": put the text in single quotes"],
  [
    /^Nested mappings are not allowed in compact mappings/,
    ": put a text that contains a colon and a blank in single quotes"
  ],
  [/^Invalid escape sequence/, ": in single quotes, backslashes stand for themselves"]
]

const withCure = (message: string): string => message + (cures.find(([fault]) => fault.test(message))?.[1] ?? "")

/** The library's own steps with limits in between, because it recurses for each level, and so does every later step. */
const compose = (text: string, maxTokens: number): ReadonlyArray<Document.Parsed<ParsedNode>> => {
  const parser = new Parser()
  const tokens = []
  let offset = 0
  let count = 0
  for (const lexeme of new Lexer().lex(text)) {
    for (const token of parser.next(lexeme)) tokens.push(token)
    if (parser.stack.length > 2 * maxDepth + 10) {
      throw new TextFault(`The document is nested deeper than ${maxDepth} levels`, offset)
    }
    if (++count > maxTokens) {
      throw new TextFault(
        `The YAML document has more than ${maxTokens} tokens: write data of this size as JSON`,
        offset
      )
    }
    if (!marks.has(lexeme)) offset += lexeme.length
  }
  for (const token of parser.end()) tokens.push(token)
  // The library's own check for unique keys compares all pairs; the walk below does it in linear time.
  const composer = new Composer<ParsedNode>({ uniqueKeys: false, prettyErrors: false, intAsBigInt: true })
  return [...composer.compose(tokens, true, text.length)]
}

class Walk {
  readonly faults: Array<Fault> = []
  readonly #anchors = new Map<string, Node>()
  /** Anchored nodes that are being walked: an alias to one of them would recurse forever. */
  readonly #open = new Set<Node>()
  #count = 0
  #characters = 0

  value(node: Node | null, depth: number, fallback = 0): Marked {
    const at = node?.range?.[0] ?? fallback
    const end = node?.range?.[1] ?? at
    if (depth > maxDepth) throw new TextFault(`The document is nested deeper than ${maxDepth} levels`, at)
    if (isScalar(node) && typeof node.value === "string") this.#characters += node.value.length
    if (this.#characters > maxCharacters) {
      throw new TextFault(`The document has more than ${maxCharacters} characters, those of its aliases included`, at)
    }
    if (++this.#count > maxValues) {
      throw new TextFault(`The document has more than ${maxValues} values, those of its aliases included`, at)
    }
    if (node === null) return { value: null, mark: { at, end } }
    if (isAlias(node)) {
      const target = this.#anchors.get(node.source)
      if (target === undefined) throw new TextFault(`There is no anchor &${node.source} before this alias`, at)
      if (this.#open.has(target)) throw new TextFault(`The alias *${node.source} is inside its own anchor`, at)
      const { value, mark } = this.value(target, depth)
      return { value, mark: { ...mark, at, end } }
    }
    if ("anchor" in node && node.anchor !== undefined) this.#anchors.set(node.anchor, node)
    if (isScalar(node)) return { value: this.#scalar(node.value, node.source, at), mark: { at, end } }
    this.#open.add(node)
    const marked = isMap(node)
      ? this.#map(node.items as ReadonlyArray<{ key: Node; value: Node | null }>, { at, end }, depth)
      : isSeq(node)
        ? this.#list(node.items as ReadonlyArray<Node | null>, { at, end }, depth)
        : { value: null, mark: { at, end } }
    this.#open.delete(node)
    return marked
  }

  #map(pairs: ReadonlyArray<{ key: Node; value: Node | null }>, place: Mark, depth: number): Marked {
    const value: Record<string, unknown> = {}
    const members = new Map<string, Mark>()
    for (const pair of pairs) {
      const keyAt = pair.key?.range?.[0] ?? place.at
      const key = this.#key(pair.key, keyAt)
      this.#characters += key.length
      if (members.has(key)) {
        this.#fault(`The key ${JSON.stringify(key)} occurs twice in the same mapping`, keyAt)
        continue
      }
      const member = this.value(pair.value, depth + 1, keyAt)
      setMember(value, key, member.value)
      members.set(key, { ...member.mark, keyAt })
    }
    return { value, mark: { ...place, members } }
  }

  #list(nodes: ReadonlyArray<Node | null>, place: Mark, depth: number): Marked {
    const marked = nodes.map((node) => this.value(node, depth + 1, place.at))
    return { value: marked.map(({ value }) => value), mark: { ...place, items: marked.map(({ mark }) => mark) } }
  }

  #key(node: Node | null, at: number): string {
    if (isScalar(node)) {
      if (node.anchor !== undefined) this.#anchors.set(node.anchor, node)
      if (typeof node.value === "string") return node.value
      if (typeof node.value !== "symbol" && typeof node.value !== "object") return node.source ?? String(node.value)
    }
    this.#fault("A key must be a text", at)
    return ""
  }

  #scalar(value: unknown, source: string | undefined, at: number): unknown {
    if (typeof value === "bigint") return numberOf(String(value), at)
    if (value === null || typeof value === "string" || typeof value === "boolean") return value
    if (typeof value === "number" && Number.isFinite(value)) return value
    this.#fault(`${source ?? "This value"} cannot be represented in JSON`, at)
    return null
  }

  #fault(detail: string, at: number): void {
    if (this.faults.length < maxFaults) this.faults.push({ detail, at })
  }
}

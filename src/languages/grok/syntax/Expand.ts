import { type Part, PatternError, position, SyntaxFault, together } from "../../PatternError.ts"
import { suggestion } from "../../Suggest.ts"
import { type Capture, readCapture } from "./Capture.ts"
import type { Definition } from "./Definitions.ts"
import { parse } from "./GrokParser.ts"
import type { Group, Node, Reference } from "./Syntax.ts"

/** The origin of a text, for positions in errors. */
export interface Origin {
  readonly part: Part
  readonly source?: string
  readonly text: string
  readonly line: number
  readonly column: number
  readonly pattern: number
}

/** A group of the expanded tree. `capture` is its index in the capture table. */
export interface ExpandedGroup extends Group {
  readonly capture?: number
  /** The reference that this group replaces. */
  readonly reference?: Reference
  /** The definition's text that the positions below this group refer to. */
  readonly origin?: Origin
}

interface Expansion {
  readonly tree: Node
  readonly captures: ReadonlyArray<Capture>
  /** Maps a group name (full, or only the field) to the indices of its captures, for `\k<name>`. */
  readonly names: ReadonlyMap<string, ReadonlyArray<number>>
  readonly hints: ReadonlyArray<string>
}

/** Maximum number of unknown patterns that are reported together. */
const maxUnknown = 20
/** Maximum number of references that one expression resolves (Elasticsearch's limit). */
const maxSteps = 100_000
/** Maximum nesting of definitions. */
const maxTrail = 100
/** Maximum length of the expanded regular expression, in characters. */
const maxLength = 1 << 20

export const faultAt = (origin: Origin, fault: { message: string; start: number; end: number }): PatternError => {
  const at = position(origin.text, fault.start)
  return new PatternError({
    part: origin.part,
    ...(origin.source === undefined ? {} : { source: origin.source }),
    detail: fault.message,
    line: origin.line - 1 + at.line,
    column: at.line === 1 ? origin.column - 1 + at.column : at.column,
    text: origin.text.slice(fault.start, fault.end),
    pattern: origin.pattern
  })
}

/** Options for reading an expression. */
export interface Reading {
  /** False: `%{WORD}` without a field is captured as `WORD`. */
  readonly namedCapturesOnly: boolean
  /** An invalid reference is literal text. */
  readonly lenient: boolean
}

const strictly = new WeakMap<Definition, Node>()
const leniently = new WeakMap<Definition, Node>()

/** The definitions that an expression may refer to. */
export interface Vocabulary {
  readonly lookup: (name: string) => Definition | undefined
  /** All names, for suggestions. */
  readonly names: () => Iterable<string>
  /** The sources that were left out, for error messages. */
  readonly leftOut: ReadonlyArray<string>
}

/** Resolves all references of the expression. Throws {@link PatternError}; unknown patterns are reported together. */
export const expand = (
  expression: Origin,
  { lookup, names: vocabulary, leftOut }: Vocabulary,
  { namedCapturesOnly, lenient }: Reading
): Expansion => {
  const unknown = new Map<string, PatternError>()
  const captures: Array<Capture> = []
  const names = new Map<string, Array<number>>()
  const inline = new Map<string, Definition>()
  const hints: Array<string> = []
  const parsed = lenient ? leniently : strictly
  let steps = 0
  let length = 0

  const parseIn = (origin: Origin): Node => {
    try {
      return parse(origin.text, lenient)
    } catch (fault) {
      throw fault instanceof SyntaxFault ? faultAt(origin, fault) : fault
    }
  }

  const capture = (fullName: string, isInline: boolean, node: Node, origin: Origin): number => {
    const index = captures.length
    try {
      captures.push(readCapture(fullName, isInline))
    } catch (error) {
      throw faultAt(origin, { message: (error as Error).message, start: node.start, end: node.end })
    }
    for (const name of new Set([fullName, captures[index]!.name])) {
      const known = names.get(name)
      if (known === undefined) names.set(name, [index])
      else known.push(index)
    }
    return index
  }

  const resolve = (node: Reference, origin: Origin, trail: ReadonlyArray<string>): Node => {
    const at = (message: string) => faultAt(origin, { message, start: node.start, end: node.end })
    if (node.definition !== undefined) {
      const column = origin.column + node.end - 1 - node.definition.length
      const source = origin.source === undefined ? {} : { source: origin.source }
      inline.set(node.syntax, { regex: node.definition, part: origin.part, ...source, line: origin.line, column })
    }
    if (node.ignored !== undefined && trail.length === 0)
      hints.push(`the text "${node.ignored.trim()}" inside %{${node.syntax}…} is ignored`)
    const definition = inline.get(node.syntax) ?? lookup(node.syntax)
    if (definition === undefined) {
      const missing = leftOut.length === 0 ? "" : ` (it may be in what was left out: ${leftOut.join("; ")})`
      const known = unknown.has(node.syntax) || unknown.size >= maxUnknown
      if (!known) {
        const similar = suggestion(node.syntax, vocabulary())
        unknown.set(node.syntax, at(`unknown pattern "${node.syntax}"${missing}${similar}`))
      }
      return { kind: "sequence", items: [], start: node.start, end: node.end }
    }
    if (trail.length > maxTrail) throw at(`definitions nested more than ${maxTrail} deep`)
    const cycle = trail.indexOf(node.syntax)
    if (cycle >= 0) throw at(`circular reference ${[...trail.slice(cycle), node.syntax].join("->")}`)
    if (++steps > maxSteps) throw at(`the expression expands to more than ${maxSteps} references`)
    length += definition.regex.length
    if (length > maxLength) throw at(`the expression expands to more than ${maxLength} characters`)
    const isNamed = node.semantic !== undefined && node.semantic !== ""
    const fullName = isNamed ? `${node.syntax}:${node.semantic}` : node.syntax
    const index = isNamed || !namedCapturesOnly ? capture(fullName, false, node, origin) : undefined
    const inner: Origin = { ...definition, text: definition.regex, pattern: origin.pattern }
    if (definition.fault !== undefined)
      throw faultAt(inner, { message: definition.fault, start: 0, end: definition.regex.length })
    const tree = parsed.get(definition) ?? parseIn(inner)
    parsed.set(definition, tree)
    const body = walk(tree, inner, [...trail, node.syntax])
    const { start, end } = node
    const group: ExpandedGroup = { kind: "group", open: "(?:", body, start, end, reference: node, origin: inner }
    const captured: ExpandedGroup = { ...group, capture: index ?? 0 }
    return index === undefined ? group : captured
  }

  const classReferences = (text: string, node: Node, origin: Origin, trail: ReadonlyArray<string>): string =>
    text.replace(/%\{([A-Za-z0-9_]+)\}/g, (whole: string, syntax: string) => {
      const definition = inline.get(syntax) ?? lookup(syntax)
      if (definition === undefined) return whole
      const cycle = trail.indexOf(syntax)
      if (cycle >= 0)
        throw faultAt(origin, { ...node, message: `circular reference ${[...trail.slice(cycle), syntax].join("->")}` })
      return classReferences(definition.regex, node, origin, [...trail, syntax])
    })

  const walk = (node: Node, origin: Origin, trail: ReadonlyArray<string>): Node => {
    switch (node.kind) {
      case "reference":
        return resolve(node, origin, trail)
      case "group": {
        if (node.name === undefined) return { ...node, body: walk(node.body, origin, trail) }
        const index = capture(node.name, true, node, origin)
        const group: ExpandedGroup = { ...node, body: walk(node.body, origin, trail), capture: index }
        return group
      }
      case "repeat":
        return { ...node, node: walk(node.node, origin, trail) }
      case "sequence":
        return { ...node, items: node.items.map((item) => walk(item, origin, trail)) }
      case "choice":
        return { ...node, branches: node.branches.map((branch) => walk(branch, origin, trail)) }
      case "class":
        return node.text.includes("%{") ? { ...node, text: classReferences(node.text, node, origin, trail) } : node
      default:
        return node
    }
  }

  const tree = walk(parseIn(expression), expression, [])
  if (unknown.size > 0) throw together([...unknown.values()])
  return { tree, captures, names, hints }
}

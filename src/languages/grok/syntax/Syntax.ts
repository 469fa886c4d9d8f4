/** The syntax tree of a grok expression: the structure of an Oniguruma expression with `%{…}` references. */

interface Span {
  readonly start: number
  readonly end: number
}

/** One literal character, escape, anchor or dot, as written. */
interface Atom extends Span {
  readonly kind: "atom"
  readonly text: string
}
/** A bracketed class as written, including grok references inside it. */
interface ClassNode extends Span {
  readonly kind: "class"
  readonly text: string
}
/** Text without width or meaning of its own: comments, option switches, blanks in extended mode. */
export interface Mark extends Span {
  readonly kind: "mark"
  readonly text: string
}
interface Backreference extends Span {
  readonly kind: "backreference"
  readonly letter: "k" | "g"
  readonly name: string
}
export interface Group extends Span {
  readonly kind: "group"
  /** The opening as written. A named group opens with `(` and has a `name`. */
  readonly open: string
  readonly name?: string
  readonly body: Node
}
/** `%{SYNTAX:SEMANTIC:TYPE=definition}`. `ignored` is text that the reference ignores up to its brace. */
export interface Reference extends Span {
  readonly kind: "reference"
  readonly syntax: string
  readonly semantic?: string
  readonly definition?: string
  readonly ignored?: string
}
export interface Repeat extends Span {
  readonly kind: "repeat"
  readonly node: Node
  readonly quantifier: string
  readonly min: number
  readonly max: number
}
export interface Sequence extends Span {
  readonly kind: "sequence"
  readonly items: ReadonlyArray<Node>
}
export interface Choice extends Span {
  readonly kind: "choice"
  readonly branches: ReadonlyArray<Node>
}
export type Node = Atom | ClassNode | Mark | Backreference | Group | Reference | Repeat | Sequence | Choice

/** Whether the mark switches options, such as `(?i)` or `(?x-m)`. */
export const isSwitch = ({ text }: Mark): boolean => /^\(\?[a-z-]+\)$/.test(text)

/** The direct children. */
export const childrenOf = (node: Node): ReadonlyArray<Node> => {
  switch (node.kind) {
    case "group":
      return [node.body]
    case "repeat":
      return [node.node]
    case "sequence":
      return node.items
    case "choice":
      return node.branches
    default:
      return []
  }
}

/** Whether the node or one of its descendants fulfils the condition. */
export const someNode = (node: Node, holds: (node: Node) => boolean): boolean =>
  holds(node) || childrenOf(node).some((child) => someNode(child, holds))

/** Letters and digits of any script and `@ [ ] _ : . -`: what Elasticsearch allows after the first colon. */
export const semanticPattern = /^[\p{L}\p{N}\p{M}@[\]_:.-]+$/u

/** The name without the question marks by which Logstash's own files mark fields as optional: `[a][b]?`, `[a][b?]`. */
export const withoutMarks = (name: string): string => (name.includes("?") ? name.replace(/\?(?=$|[\]:])/g, "") : name)

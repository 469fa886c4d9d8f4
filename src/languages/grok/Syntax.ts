/** The syntax tree of a grok expression: Oniguruma's outline (as far as structure needs it) plus `%{…}` references. */

interface Span {
  readonly start: number
  readonly end: number
}

/** One literal character, escape, anchor or dot, as written. */
export interface Atom extends Span {
  readonly kind: "atom"
  readonly text: string
}
/** A bracketed class, as written; grok references inside it are kept in the text. */
export interface ClassNode extends Span {
  readonly kind: "class"
  readonly text: string
}
/** Text without a width or a meaning of its own: comments, option switches, blanks in extended mode. */
export interface Mark extends Span {
  readonly kind: "mark"
  readonly text: string
}
export interface Backreference extends Span {
  readonly kind: "backreference"
  readonly letter: "k" | "g"
  readonly name: string
}
export interface Group extends Span {
  readonly kind: "group"
  /** The opening as written, `(?<name>` excepted: a named group opens with `(` and has `name`. */
  readonly open: string
  readonly name?: string
  readonly body: Node
}
/** `%{SYNTAX:SEMANTIC:TYPE=definition}`; `ignored` is text that the reference swallows up to its brace. */
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

/** The nodes right below. */
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

/** Whether it holds for the node or one below it. */
export const someNode = (node: Node, holds: (node: Node) => boolean): boolean =>
  holds(node) || childrenOf(node).some((child) => someNode(child, holds))

/** Letters and digits of any script and `@ [ ] _ : . -`, as Elasticsearch reads the part after the first colon. */
export const semanticPattern = /^[\p{L}\p{N}\p{M}@[\]_:.-]+$/u

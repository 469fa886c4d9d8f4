/** A position in a text. Both numbers count from 1; columns are UTF-16 units, as in editors. */
export interface Position {
  readonly line: number
  readonly column: number
}

/** The position of an offset, which counts UTF-16 units from 0. */
export const positionOf = (text: string, at: number): Position => {
  const before = text.slice(0, at)
  return { line: before.split("\n").length, column: at - before.lastIndexOf("\n") }
}

/**
 * The offsets of a value, behind its end, and of its key if it has one, and the marks of its members. A value that a file
 * leaves out has no length; an object without braces ends behind its last member. Offsets are UTF-16 units.
 */
export interface Mark {
  readonly at: number
  readonly end: number
  readonly keyAt?: number
  readonly members?: ReadonlyMap<string, Mark>
  readonly items?: ReadonlyArray<Mark>
}

/** A value with the positions of its parts. */
export interface Marked {
  readonly value: unknown
  readonly mark: Mark
}

/** A fault of a text, and its position. */
export interface Fault {
  readonly detail: string
  readonly at: number
}

/** Thrown by the readers. */
export class TextFault extends Error implements Fault {
  readonly at: number
  constructor(detail: string, at: number) {
    super(detail)
    this.at = at
  }
  get detail(): string {
    return this.message
  }
}

/**
 * Maximum nesting of lists and objects. Deeper documents are refused, so that no recursive code overflows the stack.
 */
export const maxDepth = 100

/** Sets a member of an object; `__proto__` is an ordinary key. */
export const setMember = (object: Record<string, unknown>, key: string, value: unknown): void => {
  if (key === "__proto__") {
    Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true })
  } else object[key] = value
}

/**
 * The number of a literal. Integers beyond 2^53 become text, which keeps their digits. `at` is the offset of the
 * literal.
 */
export const numberOf = (literal: string, at: number): number | string => {
  const value = Number(literal)
  if (!Number.isFinite(value)) throw new TextFault("The number is out of range", at)
  return Number.isSafeInteger(value) || !/^-?\d+$/.test(literal) ? value : literal
}

/** A text with an index of its lines. */
export class Source {
  readonly text: string
  readonly #starts: ReadonlyArray<number>

  constructor(text: string) {
    this.text = text
    const starts = [0]
    for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) starts.push(at + 1)
    this.#starts = starts
  }

  position(offset: number): Position {
    let low = 0
    let high = this.#starts.length - 1
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if (this.#starts[middle]! <= offset) low = middle
      else high = middle - 1
    }
    return { line: low + 1, column: offset - this.#starts[low]! + 1 }
  }

  /** The text of a line without its line end; undefined after the last line. */
  line(line: number): string | undefined {
    const start = this.#starts[line - 1]
    if (start === undefined) return undefined
    return this.text.slice(start, (this.#starts[line] ?? this.text.length + 1) - 1)
  }
}

/** The mark at a path, or the deepest existing one on the way. */
export const markAt = (root: Mark, path: ReadonlyArray<PropertyKey>): Mark => {
  let mark = root
  for (const key of path) {
    const next = mark.items === undefined ? mark.members?.get(String(key)) : mark.items[Number(key)]
    if (next === undefined) break
    mark = next
  }
  return mark
}

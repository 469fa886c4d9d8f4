import { type Part, PatternError } from "../../PatternError.ts"

/** A named sub-pattern and its position: `line` and `column` of its regular expression, from 1. */
export interface Definition {
  readonly regex: string
  readonly part: Part
  /** The tenant's file or artifact that contains it. */
  readonly source?: string
  /** A fault of the whole definition; every use of it fails with this text. */
  readonly fault?: string
  readonly line: number
  readonly column: number
}

/** A line of definitions: optional blanks, a name, blanks, the regular expression. */
export const definitionLine = /^(\s*)(\S+)(?:(\s+)(.*))?$/s
export const definitionName = /^[A-Za-z0-9_]+$/

/**
 * Reads a definitions text, one `NAME regex` per line. Leading blanks are dropped, `#` starts a comment line. Trailing
 * blanks belong to the regular expression. A later definition replaces an earlier one.
 */
const fromText = (text: string): Map<string, Definition> => {
  const found = new Map<string, Definition>()
  text.split(/\r?\n/).forEach((content, index) => {
    const line = definitionLine.exec(content)
    if (line === null || line[2]!.startsWith("#")) return
    const [, indent, name, gap, regex] = line
    const fault = (detail: string) =>
      new PatternError({
        part: "definitions",
        detail,
        line: index + 1,
        column: indent!.length + 1,
        text: name!,
        pattern: 1
      })
    if (!definitionName.test(name!)) throw fault(`"${name}" is not a pattern name (letters, digits, underscore)`)
    if (regex === undefined || regex === "") throw fault(`definition of "${name}" has no regular expression`)
    const column = indent!.length + name!.length + gap!.length + 1
    found.set(name!, { regex, part: "definitions", line: index + 1, column })
  })
  return found
}

const fromRecord = (record: Readonly<Record<string, string>>): Map<string, Definition> => {
  const found = new Map<string, Definition>()
  Object.entries(record).forEach(([name, regex], index) => {
    const line = index + 1
    if (!definitionName.test(name))
      throw new PatternError({
        part: "definitions",
        detail: `"${name}" is not a pattern name (letters, digits, underscore)`,
        line,
        column: 1,
        text: name,
        pattern: 1
      })
    found.set(name, { regex, part: "definitions", line, column: name.length + 2 })
  })
  return found
}

/**
 * Reads the definitions of a request or node, as text or as a record (the n-th entry counts as line n). Throws
 * PatternError.
 */
export const readDefinitions = (source: string | Readonly<Record<string, string>>): ReadonlyMap<string, Definition> =>
  typeof source === "string" ? fromText(source) : fromRecord(source)

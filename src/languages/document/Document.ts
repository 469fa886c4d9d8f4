import { Result } from "effect"
import type { Issue } from "../Issue.ts"
import { type Fault, type Mark, type Marked, markAt, type Position, Source, TextFault } from "./DocumentSource.ts"
import { readYaml } from "./DocumentYaml.ts"
import { readHjson } from "./Hjson.ts"
import { pathOf } from "./Pointer.ts"

/** Maximum size of a flowline file in bytes. */
export const maxBytes = 4 * 1024 * 1024

type Format = "json" | "hjson" | "yaml"

/** A file as it was sent. */
export interface SourceFile {
  readonly name?: string | undefined
  readonly bytes: Uint8Array
}

/** The value of a file and the positions of its parts. */
export class SourceDocument {
  readonly format: Format
  readonly value: Record<string, unknown>
  readonly #source: Source
  readonly #root: Mark

  constructor(format: Format, value: Record<string, unknown>, source: Source, root: Mark) {
    this.format = format
    this.value = value
    this.#source = source
    this.#root = root
  }

  /**
   * The position of the value at a JSON pointer, or of its key. For a missing value, the position of its innermost
   * existing parent.
   */
  locate(pointer: string, part: "value" | "key" = "value"): Position | undefined {
    return this.position(pathOf(pointer), part)
  }

  position(path: ReadonlyArray<PropertyKey>, part: "value" | "key" = "value"): Position {
    const mark = markAt(this.#root, path)
    return this.#source.position(part === "key" ? (mark.keyAt ?? mark.at) : mark.at)
  }

  /**
   * The position in the file of a position inside the text at `path`. If the file writes that line of the text
   * differently (escaped or folded), the position of the start of the text.
   */
  inside(path: ReadonlyArray<PropertyKey>, text: string, { line, column }: Position): Position {
    const start = this.position(path)
    const wanted = text.split("\n")[line - 1] ?? ""
    if (wanted.trim() === "") return start
    // The text may begin on the line of its key or, as a block, on the next line.
    for (const fileLine of [start.line + line - 1, start.line + line]) {
      const from = fileLine === start.line ? start.column - 1 : 0
      const found = this.#source.line(fileLine)?.indexOf(wanted, from) ?? -1
      if (found !== -1) return { line: fileLine, column: found + column }
    }
    return start
  }
}

const byExtension = (name: string | undefined): Format | undefined => {
  switch (/\.([a-z]+)$/i.exec(name ?? "")?.[1]?.toLowerCase()) {
    case "yaml":
    case "yml":
      return "yaml"
    case "hjson":
      return "hjson"
    case "json":
      return "json"
    default:
      return undefined
  }
}

const kindOf = (value: unknown): string =>
  Array.isArray(value) ? "a list" : value === null ? "null" : typeof value === "string" ? "a text" : `a ${typeof value}`

/** How large a document may be, and so how long parsing takes: tokens of YAML, values of HJSON and JSON. */
interface Size {
  readonly maxTokens?: number
  readonly maxValues?: number
}

/** Reads the text in one format; the root must be an object. */
const read = (format: Format, text: string, { maxTokens, maxValues }: Size): Marked | ReadonlyArray<Fault> => {
  let marked: Marked | ReadonlyArray<Fault>
  try {
    marked = format === "yaml" ? readYaml(text, maxTokens) : readHjson(text, format, maxValues)
  } catch (cause) {
    if (!(cause instanceof TextFault)) throw cause
    return [cause]
  }
  if (!("mark" in marked) || marked.mark.members !== undefined) return marked
  return [{ detail: `The file must be an object (a mapping), not ${kindOf(marked.value)}`, at: marked.mark.at }]
}

/** Whether the text begins with a brace, after blanks and comments of any format. */
const beginsWithBrace = (text: string): boolean => {
  const skip = /\s+|#.*|\/\/.*|\/\*[\s\S]*?\*\//y
  let at = 0
  while (skip.test(text)) at = skip.lastIndex
  return text.charAt(at) === "{"
}

/**
 * Nearly every text is valid HJSON without braces, so a faulty YAML file could be read as HJSON with another meaning.
 * Therefore HJSON is only tried if the text contains something that YAML does not have.
 */
const guesses = (text: string, braces: boolean): ReadonlyArray<Format> => {
  if (braces) return ["json", "hjson", "yaml"]
  return /^[ \t]*\/[/*]|'''/m.test(text) ? ["yaml", "hjson"] : ["yaml"]
}

/** The text of a file, or why it is not text. */
const decodeText = (bytes: Uint8Array): string | (Fault & { readonly text: string }) => {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes)
    const nul = text.indexOf("\u0000")
    return nul === -1 ? text : { detail: "The file is not a text file: it contains NUL characters", at: nul, text }
  } catch {
    const text = new TextDecoder("utf-8").decode(bytes)
    return { detail: "The file is not UTF-8 text", at: Math.max(0, text.indexOf("\ufffd")), text }
  }
}

/**
 * Reads a YAML, HJSON or JSON file, according to its name, else to its content. The issues are those of the most likely
 * format.
 */
export const readDocument = (
  file: SourceFile,
  size: Size = {}
): Result.Result<SourceDocument, ReadonlyArray<Issue>> => {
  const { name, bytes } = file
  if (bytes.length > maxBytes) return Result.fail([{ detail: `The file is larger than ${maxBytes} bytes` }])
  const text = decodeText(bytes)
  const source = new Source(typeof text === "string" ? text : text.text)
  const fail = (faults: ReadonlyArray<Fault>) =>
    Result.fail(faults.map(({ detail, at }) => ({ pointer: "", detail, ...source.position(at) })))
  if (typeof text !== "string") return fail([text])
  if (text.trim() === "") return fail([{ detail: "The file is empty", at: 0 }])
  const named = byExtension(name)
  const braces = beginsWithBrace(text)
  const likely = named ?? (braces ? "hjson" : "yaml")
  const tried = named !== undefined ? [named] : guesses(text, braces)
  let faults: ReadonlyArray<Fault> = []
  for (const format of tried) {
    const marked = read(format, text, size)
    if ("mark" in marked) {
      return Result.succeed(new SourceDocument(format, marked.value as Record<string, unknown>, source, marked.mark))
    }
    if (format === likely) faults = marked
  }
  return fail(faults)
}

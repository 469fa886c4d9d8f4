import { SyntaxFault } from "../../PatternError.ts"
import { type Reference, semanticPattern, withoutMarks } from "./Syntax.ts"

const headPattern = /%\{([A-Za-z0-9_]+)(?::([^}=\s]*))?/y

/** The end of an inline definition that starts at `from`. Braces nest, and `\}` does not count. */
const definitionEnd = (text: string, from: number): number => {
  let depth = 0
  for (let index = from; index < text.length; index++) {
    const character = text[index]
    if (character === "\\") index++
    else if (character === "{") depth++
    else if (character === "}" && depth-- === 0) return index
  }
  return -1
}

/**
 * Reads the `%{…}` at `start`. As in Logstash, text after a blank is ignored up to the brace (`%{WORD - a word}`).
 * Anything else that is not a reference is a fault, whereas Elasticsearch silently treats it as literal text.
 */
export const scanReference = (text: string, start: number): Reference => {
  headPattern.lastIndex = start
  const head = headPattern.exec(text)
  const brace = text.indexOf("}", start)
  if (brace < 0) throw new SyntaxFault("unclosed %{", start, text.length)
  const unrecognised = () =>
    new SyntaxFault(`unrecognised reference "${text.slice(start, brace + 1)}"`, start, brace + 1)
  if (head === null) throw unrecognised()
  const [matched, syntax, marked] = head
  const semantic = marked === undefined ? undefined : withoutMarks(marked)
  if (semantic !== undefined && !semanticPattern.test(semantic)) throw unrecognised()
  const rest = start + matched.length
  const base = {
    kind: "reference" as const,
    syntax: syntax!,
    ...(semantic === undefined ? {} : { semantic }),
    start
  }
  if (text[rest] === "}") return { ...base, end: rest + 1 }
  if (text[rest] === "=") {
    const end = definitionEnd(text, rest + 1)
    if (end < 0) throw new SyntaxFault("unclosed %{", start, text.length)
    if (end === rest + 1) throw unrecognised()
    return { ...base, definition: text.slice(rest + 1, end), end: end + 1 }
  }
  if (!/\s/.test(text[rest] ?? "")) throw unrecognised()
  return { ...base, ignored: text.slice(rest, brace), end: brace + 1 }
}

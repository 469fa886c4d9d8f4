import type { Element } from "./Structure.ts"

/** An element with the name of the field that holds its text; fixed text and blanks have none. */
export interface NamedElement {
  readonly element: Element
  readonly field?: string
}

const word = /([A-Za-z_][A-Za-z_-]{0,30})["']?\s*[=:]?\s*["'[(<]*$/

/** Words that name nothing. */
const fillers = /^(a|an|and|at|by|for|from|in|is|of|on|or|the|to|was|with)$/

/** The name that the text before a value gives it: `size: ` or `user=`. */
const keyBefore = (text: string): string | undefined => {
  const key = word.exec(text)?.[1]?.toLowerCase().replaceAll("-", "_")
  return key === undefined || fillers.test(key) ? undefined : key
}

const levels = /level|severity/

/**
 * Names the fields: by the key before them, by what they are, and by where they stand, as the host stands after the time
 * of a syslog line. Names are unique; a second one of the same kind has a number.
 */
export const named = (elements: ReadonlyArray<Element>): ReadonlyArray<NamedElement> => {
  const counts = new Map<string, number>()
  const unique = (name: string): string => {
    const count = (counts.get(name) ?? 0) + 1
    counts.set(name, count)
    return count === 1 ? name : `${name}${count}`
  }
  const kinds: Array<string> = []
  const has = (name: string) => kinds.some((kind) => levels.test(kind) || kind === name)

  const placed = (index: number): string => {
    const before = elements[index - 1]
    const after = elements[index + 1]
    const textBefore = before?.kind === "text" ? before.text : ""
    const textAfter = after?.kind === "text" ? after.text : ""
    if (elements[index]!.kind === "data") return has("level") ? "context" : "data"
    if (textAfter.startsWith(":") || textAfter.startsWith("]:")) return has("level") ? "logger" : "component"
    if (kinds.at(-1) === "timestamp" && textBefore.trim() === "") return "host"
    return has("level") ? "logger" : "field"
  }

  return elements.map((element, index) => {
    const before = elements[index - 1]
    const key = before?.kind === "text" ? keyBefore(before.text) : undefined
    const name = (own: string) => {
      kinds.push(own)
      return { element, field: unique(key ?? own) }
    }
    switch (element.kind) {
      case "text":
      case "blanks":
        return { element }
      case "recognized": {
        const { field } = element.recognizer
        const inBrackets = before?.kind === "text" && before.text.endsWith("[")
        return name(field === "number" && inBrackets && kinds.length > 0 ? "pid" : field)
      }
      case "program":
      case "perhapsProgram":
        kinds.push("program")
        return { element, field: unique("program") }
      case "rest":
        return { element, field: unique("message") }
      default:
        return name(placed(index))
    }
  })
}

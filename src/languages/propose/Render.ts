import type { NamedElement } from "./FieldNaming.ts"

const quoted = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&")

const grokOf = ({ element, field = "" }: NamedElement): string => {
  switch (element.kind) {
    case "text":
      return quoted(element.text)
    case "blanks":
      return "%{SPACE}"
    case "recognized": {
      const { bank, source, type } = element.recognizer
      if (bank === undefined) return `(?<${field}>${source})`
      return `%{${bank}:${field}${type === undefined ? "" : `:${type}`}}`
    }
    case "token":
      return `%{NOTSPACE:${field}}`
    case "data":
      return `%{DATA:${field}}`
    case "rest":
      return `%{GREEDYDATA:${field}}`
    case "perhapsProgram":
      return String.raw`(?:%{PROG:${field}}(?:\[%{NONNEGINT:pid:int}\])?: )?`
    case "program":
      return String.raw`%{PROG:${field}}(?:\[%{NONNEGINT:pid:int}\])?`
  }
}

/** The structure as a grok pattern for the whole line. */
export const grokPattern = (structure: ReadonlyArray<NamedElement>): string =>
  `^${structure
    .map((part, index) => {
      // A token may end with what follows it, so it takes no more than it must.
      const next = structure[index + 1]
      if (part.element.kind === "token" && next?.element.kind === "text" && !/^\s/.test(next.element.text)) {
        return `(?<${part.field}>\\S+?)`
      }
      return grokOf(part)
    })
    .join("")}$`

/** The names of the parts of a time that has blanks in it, by their number. */
const timeParts: Readonly<Record<number, ReadonlyArray<string>>> = { 2: ["date", "time"], 3: ["month", "day", "time"] }

/** Dissect ends a field where the next text begins, so a time with blanks before a blank is several fields. */
const timeOf = (source: string, field: string): string => {
  const names = timeParts[source.split(" ").length]
  return names === undefined ? `%{${field}}` : names.map((name) => `%{${name}}`).join(" ")
}

/**
 * The structure as a dissect pattern; undefined where dissect cannot say it: fields that only their form tells apart
 * from what follows, or that not all lines have.
 */
export const dissectPattern = (structure: ReadonlyArray<NamedElement>): string | undefined => {
  let pattern = ""
  for (const [index, { element, field = "" }] of structure.entries()) {
    const next = structure[index + 1]?.element
    if (element.kind === "text") {
      if (element.text.includes("%{")) return undefined
      pattern += element.text
    } else if (element.kind === "blanks") {
      if (index === 0) return undefined
      pattern += " "
    } else {
      const isFollowed = next === undefined || next.kind === "text" || next.kind === "blanks"
      if (element.kind === "program" || element.kind === "perhapsProgram" || !isFollowed) return undefined
      const isBefore = next?.kind === "blanks" || (next?.kind === "text" && next.text.startsWith(" "))
      const own = element.kind === "recognized" && isBefore ? timeOf(element.recognizer.source, field) : `%{${field}}`
      pattern += next?.kind === "blanks" ? own.replace(/\}$/, "->}") : own
    }
  }
  return pattern
}

import { type Definition, definitionLine, definitionName } from "./Definitions.ts"

/** A text of pattern definitions, `NAME regex` on each line. */
export interface PatternSource {
  /** Where it is from, as messages name it: `patterns/custom`, or an artifact's `group:artifact:version`. */
  readonly name: string
  readonly text: string
}

/**
 * The pattern definitions that every grok pattern of a tenant knows. Plain data: it travels to threads and processes.
 */
export interface TenantDefinitions {
  /** Changes with the content. */
  readonly version: string
  /** Of two definitions of a name the later one holds. */
  readonly sources: ReadonlyArray<PatternSource>
  /** What could not be taken, and why. */
  readonly leftOut: ReadonlyArray<string>
}

export const noDefinitions: TenantDefinitions = { version: "", sources: [], leftOut: [] }

/** Names that a text defines, at most. */
export const countNames = ({ text }: PatternSource): number =>
  text.split(/\r?\n/).filter((line) => /^\s*[A-Za-z0-9_]+(\s|$)/.test(line)).length

const keptVersions = 16
const kept = new Map<string, ReadonlyMap<string, Definition>>()

/**
 * The definitions by name. Nothing fails here: a line that defines nothing is passed over, and a definition without a
 * regular expression is at fault only where it is used.
 */
export const definitionsOf = ({ version, sources }: TenantDefinitions): ReadonlyMap<string, Definition> => {
  const known = kept.get(version)
  if (known !== undefined) return known
  const found = new Map<string, Definition>()
  for (const { name: source, text } of sources) {
    text.split(/\r?\n/).forEach((content, index) => {
      const [, indent = "", name = "", gap = "", regex = ""] = definitionLine.exec(content) ?? []
      if (!definitionName.test(name)) return
      const column = regex === "" ? indent.length + 1 : indent.length + name.length + gap.length + 1
      const place = { part: "definitions" as const, source, line: index + 1, column }
      const fault = `definition of "${name}" has no regular expression`
      found.set(name, regex === "" ? { ...place, regex: name, fault } : { ...place, regex })
    })
  }
  if (kept.size >= keptVersions) kept.delete(kept.keys().next().value!)
  kept.set(version, found)
  return found
}

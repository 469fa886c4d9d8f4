import { BoundedMap } from "../BoundedMap.ts"
import { type Definition, definitionLine, definitionName } from "./syntax/Definitions.ts"

/** A text of pattern definitions, one `NAME regex` per line. */
export interface PatternSource {
  /** The origin as shown in messages: `patterns/custom`, or an artifact's `group:artifact:version`. */
  readonly name: string
  readonly text: string
}

/**
 * The pattern definitions that are available to every grok pattern of a tenant. Plain data, so that threads and
 * processes can receive it.
 */
export interface TenantDefinitions {
  /** Changes whenever the content changes. */
  readonly version: string
  /** A later definition replaces an earlier one of the same name. */
  readonly sources: ReadonlyArray<PatternSource>
  /** What was left out, and why. */
  readonly leftOut: ReadonlyArray<string>
}

export const noDefinitions: TenantDefinitions = { version: "", sources: [], leftOut: [] }

/** An upper bound of the number of names that a text defines. */
export const countNames = ({ text }: PatternSource): number =>
  text.split(/\r?\n/).filter((line) => /^\s*[A-Za-z0-9_]+(\s|$)/.test(line)).length

const kept = new BoundedMap<string, ReadonlyMap<string, Definition>>(16)

/**
 * The definitions by name. Never fails: a line that defines nothing is skipped, and a definition without a regular
 * expression is only an error where it is used.
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
  kept.set(version, found)
  return found
}

import { hasWildcard, matchesWildcard } from "../Wildcard.ts"

/** What an index may be called after the tenant's name and its dash. */
const rest = /^[a-z0-9_][a-z0-9._-]*$/

/** Whether the tenant may have an index of this name. */
export const isIndexOf = (tenant: string, name: string): boolean =>
  name.length <= 200 && name.startsWith(`${tenant}-`) && rest.test(name.slice(tenant.length + 1))

/** What a pattern names. */
export interface Named {
  /** Plain names: each must exist. */
  readonly names: ReadonlyArray<string>
  readonly selects: (name: string) => boolean
}

/**
 * Reads a name, a pattern with `*` and `?`, or several of them with commas between. A `-` before one of them takes its
 * indices out of those that the ones before it stand for.
 */
export const named = (pattern: string): Named => {
  const parts = pattern.split(",").map((part) => part.trim())
  const matches = (part: string, name: string) => (hasWildcard(part) ? matchesWildcard(part, name) : part === name)
  return {
    names: parts.filter((part, at) => !hasWildcard(part) && !(at > 0 && part.startsWith("-"))),
    selects: (name) =>
      parts.reduce((selected, part, at) => {
        const isTaken = at > 0 && part.startsWith("-")
        return selected ? !(isTaken && matches(part.slice(1), name)) : !isTaken && matches(part, name)
      }, false)
  }
}

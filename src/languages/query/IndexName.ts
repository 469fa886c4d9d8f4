import { hasWildcard, matchesWildcard } from "../Wildcard.ts"

/** The format of the part of an index name after the tenant's name and the dash. */
const rest = /^[a-z0-9_][a-z0-9._-]*$/

/** Whether this name can be an index of the tenant. */
export const isIndexOf = (tenant: string, name: string): boolean =>
  name.length <= 200 && name.startsWith(`${tenant}-`) && rest.test(name.slice(tenant.length + 1))

/** The meaning of a pattern of index names. */
interface IndexSelection {
  /** Plain names, which must exist. */
  readonly names: ReadonlyArray<string>
  readonly selects: (name: string) => boolean
}

/**
 * Parses a name, a pattern with `*` and `?`, or several of them separated by commas. A `-` before one of them excludes
 * its indices from those named before.
 */
export const named = (pattern: string): IndexSelection => {
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

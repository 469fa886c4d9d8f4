import { zoneOffset } from "../DateMath.ts"
import type { Fuzziness } from "../text/Fuzzy.ts"
import type { Dates, Place } from "./ValueReader.ts"

type Members = ReadonlyMap<string, Place>

/** Options without an effect here: there is no ranking, and a search finds all forms of a word, not the first few. */
const idle: Readonly<Record<string, (place: Place) => unknown>> = {
  analyze_wildcard: (place) => place.flag(),
  auto_generate_synonyms_phrase_query: (place) => place.flag(),
  fuzzy_max_expansions: (place) => place.count(),
  fuzzy_rewrite: (place) => place.text(),
  lenient: (place) => place.flag(),
  max_determinized_states: (place) => place.count(),
  max_expansions: (place) => place.count(),
  rewrite: (place) => place.text(),
  tie_breaker: (place) => place.scalar(),
  analyzer: (place) => (place.value === "standard" ? true : place.fault(oneAnalyzer)),
  quote_analyzer: (place) => (place.value === "standard" ? true : place.fault(oneAnalyzer))
}
const oneAnalyzer = "Only the analyzer standard is supported: leave the option out"

/** Checks the values of options that have no effect. */
export const checkIdle = (members: Members): void => {
  for (const [name, place] of members) if (Object.hasOwn(idle, name)) idle[name]?.(place)
}

/** The names of options of a fuzzy search, which some clauses write with a prefix. */
export const fuzzyNames = (prefix = ""): ReadonlyArray<string> => [
  "fuzziness",
  `${prefix}prefix_length`,
  prefix === "" ? "max_expansions" : "fuzzy_max_expansions",
  "fuzzy_transpositions",
  "fuzzy_rewrite"
]

const automatic = /^auto(?::(\d{1,4}),(\d{1,4}))?$/i

/** The number of edits for a text by its length; undefined when it cannot be read. */
export const editsOf = (value: unknown): Fuzziness["edits"] | undefined => {
  const text = typeof value === "number" || typeof value === "string" ? String(value) : ""
  if (/^[012]$/.test(text)) return () => Number(text)
  const [whole, low = "3", high = "6"] = automatic.exec(text) ?? []
  if (whole === undefined || Number(low) > Number(high)) return undefined
  return (length) => (length < Number(low) ? 0 : length < Number(high) ? 1 : 2)
}

/** The options of a fuzzy search; undefined when there is a fault. Without `fuzziness` it is `AUTO`. */
export const fuzzinessOf = (members: Members, prefix = "", swaps = "fuzzy_transpositions"): Fuzziness | undefined => {
  const given = members.get("fuzziness")
  const edits = editsOf(given?.value ?? "AUTO")
  const prefixLength = members.has(`${prefix}prefix_length`) ? members.get(`${prefix}prefix_length`)?.count() : 0
  const transpositions = members.has(swaps) ? members.get(swaps)?.flag() : true
  if (edits === undefined) return given?.fault("Expected AUTO, AUTO:3,6, 0, 1 or 2")
  if (prefixLength === undefined || transpositions === undefined) return undefined
  return { edits, prefixLength, transpositions }
}

/** The dates of a clause, in its time zone. */
export const datesOf = (members: Members, place: Place): Dates | undefined => {
  const zone = members.get("time_zone")
  if (zone === undefined) return place.dates
  const name = zone.text()
  if (name === undefined) return undefined
  const offset = zoneOffset(name)
  return offset === undefined ? zone.fault("Unknown time zone") : place.datesIn(offset)
}

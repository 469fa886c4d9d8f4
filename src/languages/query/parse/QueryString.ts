import type { Query } from "../Query.ts"
import { minimumOf } from "./Bool.ts"
import { isAnd, slopOf } from "./Match.ts"
import { fieldsOf } from "./MultiMatch.ts"
import { checkIdle, datesOf, fuzzinessOf, fuzzyNames } from "./Options.ts"
import { QueryTextParser } from "./QueryTextParser.ts"
import { SimpleTextParser, simpleFlags } from "./SimpleTextParser.ts"
import { TextFault, type TextOptions } from "./TextClauses.ts"
import type { Place } from "./ValueReader.ts"

type Members = ReadonlyMap<string, Place>

const common = [
  ...["query", "fields", "default_operator", "minimum_should_match", "lenient", "analyze_wildcard", "analyzer"],
  ...["auto_generate_synonyms_phrase_query", "boost", "_name"],
  ...fuzzyNames("fuzzy_").filter((name) => name !== "fuzziness" && name !== "fuzzy_rewrite")
]
const strict = [
  ...["default_field", "allow_leading_wildcard", "fuzziness", "fuzzy_rewrite", "max_determinized_states"],
  ...["phrase_slop", "quote_analyzer", "rewrite", "tie_breaker", "time_zone", "type"]
]

const optionsOf = (members: Members, place: Place, text: Place): TextOptions | undefined => {
  const fuzziness = fuzzinessOf(members, "fuzzy_")
  const dates = datesOf(members, place)
  const slop = slopOf(members.get("phrase_slop"))
  const leading = members.get("allow_leading_wildcard")
  const leadingWildcard = leading === undefined ? true : leading.flag()
  const minimum = members.get("minimum_should_match")
  const all = isAnd(members.get("default_operator"))
  const fields = fieldsOf(members.get("fields") ?? members.get("default_field"))
  if (fuzziness === undefined || dates === undefined || slop === undefined || leadingWildcard === undefined) {
    return undefined
  }
  return {
    ...{ fields, all, dates, fuzziness, slop, leadingWildcard, place: text },
    minimum: minimum === undefined ? undefined : (count) => minimumOf(minimum, count)
  }
}

const parse = (
  place: Place,
  names: ReadonlyArray<string>,
  read: (text: string, options: TextOptions, members: Members) => Query | undefined
): Query | undefined => {
  const members = place.members([...common, ...names])
  if (members === undefined) return undefined
  checkIdle(members)
  const given = members.get("query")
  if (given === undefined) return place.fault('"query" is missing')
  const text = given.text()
  const options = optionsOf(members, place, given)
  if (text === undefined || options === undefined) return undefined
  try {
    return read(text, options, members)
  } catch (error) {
    if (error instanceof TextFault) return given.fault(error.message)
    throw error
  }
}

/** Other types than these compare words in another way. */
const types = ["best_fields", "most_fields"] as const

export const queryString = (place: Place) =>
  parse(place, strict, (text, options, members) => {
    members.get("type")?.oneOf(types)
    return new QueryTextParser(text, options).read()
  })

export const simpleQueryString = (place: Place) =>
  parse(place, ["flags"], (text, options, members) => {
    const flags = simpleFlags(members.get("flags"))
    return flags === undefined ? undefined : new SimpleTextParser(text, options, flags).read()
  })

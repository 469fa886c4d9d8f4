import { PatternError } from "../PatternError.ts"
import type { Definition } from "./Definitions.ts"
import { expand } from "./Expand.ts"

/** Definitions looked at; a request may bring thousands. */
const maxChecked = 500

/**
 * Warnings about definitions that could not be used. Those that a pattern reaches make it fail to compile, so what is
 * found here is out of its reach.
 */
export const brokenDefinitions = (
  own: ReadonlyMap<string, Definition>,
  lookup: (name: string) => Definition | undefined,
  lenient: boolean
): ReadonlyArray<string> =>
  [...own].slice(0, maxChecked).flatMap(([name, definition]) => {
    try {
      expand({ ...definition, text: definition.regex, pattern: 1 }, lookup, { namedCapturesOnly: true, lenient })
      return []
    } catch (error) {
      if (error instanceof PatternError) return [`the unused definition "${name}" is broken: ${error.message}`]
      throw error
    }
  })

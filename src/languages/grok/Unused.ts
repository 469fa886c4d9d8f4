import { PatternError } from "../PatternError.ts"
import type { Definition } from "./Definitions.ts"
import { expand } from "./Expand.ts"

/** Maximum number of definitions that are checked; a request may contain thousands. */
const maxChecked = 500

/**
 * Warnings about broken definitions that no pattern uses. A broken definition that a pattern uses already fails the
 * compilation.
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

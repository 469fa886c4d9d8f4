import type { ConversionFailure } from "../../Coercion.ts"
import { type Builder, walkingBuilder } from "./FieldBuilder.ts"
import { generatedMatch } from "./GeneratedMatch.ts"
import { type Course, type GrokMatch, type LineMatch, noFailures, type Recipe, wariness } from "./Recipe.ts"

export interface LineMatcher {
  readonly course: Course
  /** The currently fastest function. Ask again for each batch, because it improves with the lines seen. */
  readonly match: () => LineMatch
}

const withFields =
  (recipe: Recipe, build: Builder) =>
  (found: RegExpExecArray): GrokMatch => {
    const failures: Array<ConversionFailure> = []
    const fields = build(found, failures)
    return { pattern: recipe.pattern, fields, failures: failures.length === 0 ? noFailures : failures }
  }

/** Makes a matcher of lines. */
export const lineMatcher = (recipe: Recipe): LineMatcher => {
  const { exec, required, narrow } = recipe
  const course: Course = { sure: false, wary: 0 }
  const walk = withFields(recipe, walkingBuilder(recipe.leaves, recipe.keepEmpty, recipe.numbers))
  const generated = generatedMatch(recipe, course, walk)
  if (generated !== undefined) return { course, match: generated }
  // Searching the required text costs a tenth of a match, so it is only done while lines that do not match are
  // frequent.
  const match: LineMatch = (line) => {
    if (course.wary > 0 && required !== undefined && !line.includes(required)) {
      course.wary = wariness
      course.sure = true
      return undefined
    }
    const found = exec(line)
    if (found === null) {
      course.wary = wariness
      course.sure = false
      return undefined
    }
    if (course.wary > 0) course.wary--
    course.sure = narrow && found.index === 0 && found[0].length === line.length
    return walk(found)
  }
  return { course, match: () => match }
}

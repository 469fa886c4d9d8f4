import type { Expression } from "./Expression.ts"
import type { GrokMatch, LineMatch } from "./fields/Recipe.ts"
import { areAscii, isAscii } from "./regex/Ascii.ts"

type Found = GrokMatch | undefined

/** After a non-ASCII line, this many lines are checked for ASCII before they are matched. */
const caution = 16

/**
 * Matches lines with expressions, tried in order. The expressions that are exact only for ASCII text are tried first:
 * they are much faster, and a match usually proves that the line is ASCII. Only the remaining lines are checked, many
 * at a time, because checking between two matches would cost four times as much.
 */
export const linesMatcher = (expressions: ReadonlyArray<Expression>) => {
  const count = expressions.length
  const isSame = expressions.every(({ same }) => same)
  let isSure = false
  let cautious = 0

  const exact: LineMatch = (line) => {
    for (let index = 0; index < count; index++) {
      const found = expressions[index]!.unicode().match()(line)
      if (found !== undefined) return found
    }
    return undefined
  }

  /** Matches a line as if it were ASCII. `isSure` tells whether the result is right for any line. */
  const attempt = (line: string, matches?: ReadonlyArray<LineMatch>): Found => {
    let missed = true
    for (let index = 0; index < count; index++) {
      const ascii = expressions[index]!.ascii()
      const found = (matches === undefined ? ascii.match() : matches[index]!)(line)
      const { sure } = ascii.course
      if (found !== undefined) {
        isSure = sure
        return found
      }
      missed &&= sure
    }
    isSure = missed
    return undefined
  }

  const match: LineMatch = (line) => {
    if (isSame) return exact(line)
    if (cautious > 0) {
      cautious--
      if (isAscii(line)) return attempt(line)
      cautious = caution
      return exact(line)
    }
    const found = attempt(line)
    if (isSure || isAscii(line)) return found
    cautious = caution
    return exact(line)
  }

  /** The results of all lines; indices of uncertain ones are added to `unsure`. */
  const attemptAll = (lines: ReadonlyArray<string>, unsure: Array<number>): Array<Found> => {
    const made = new Array<Found>(lines.length)
    const matches = expressions.map(({ ascii }) => ascii().match())
    if (count === 1) {
      const [only] = matches as [LineMatch]
      const { course } = expressions[0]!.ascii()
      for (let index = 0; index < lines.length; index++) {
        made[index] = only(lines[index]!)
        if (!course.sure) unsure.push(index)
      }
      return made
    }
    for (let index = 0; index < lines.length; index++) {
      made[index] = attempt(lines[index]!, matches)
      if (!isSure) unsure.push(index)
    }
    return made
  }

  const matchAll = (lines: ReadonlyArray<string>): ReadonlyArray<Found> => {
    // With many non-ASCII lines, matching twice would cost more than checking.
    if (cautious > 0 && !areAscii(lines)) return lines.map(match)
    cautious = 0
    const unsure: Array<number> = []
    const made = attemptAll(lines, unsure)
    if (unsure.length === 0 || areAscii(unsure.map((index) => lines[index]!))) return made
    for (const index of unsure) {
      const line = lines[index]!
      if (isAscii(line)) continue
      made[index] = exact(line)
      cautious = caution
    }
    return made
  }

  return { match, matchAll }
}

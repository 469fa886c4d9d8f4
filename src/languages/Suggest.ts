/** Maximum number of suggestions in one report, because finding one takes time. */
export const maxSuggestions = 50

/** Maximum length of a word that is compared. */
const mostCompared = 64

/** A row of distances. In lower case, a word may be longer. */
const row = () => new Uint8Array(4 * mostCompared)
/** Three rows, which every comparison uses anew. */
const rows = [row(), row(), row()] as const

/** The edit distance of two words (insert, delete, replace, swap neighbours), if it is at most `limit`. */
const distance = (from: string, to: string, limit: number): number | undefined => {
  let [before, previous, current] = rows
  for (let column = 0; column <= to.length; column++) previous[column] = column
  for (let row = 1; row <= from.length; row++) {
    current[0] = row
    let least = row
    for (let column = 1; column <= to.length; column++) {
      const same = from.charCodeAt(row - 1) === to.charCodeAt(column - 1)
      let best = Math.min(previous[column]! + 1, current[column - 1]! + 1, previous[column - 1]! + (same ? 0 : 1))
      if (
        row > 1 &&
        column > 1 &&
        from.charCodeAt(row - 1) === to.charCodeAt(column - 2) &&
        from.charCodeAt(row - 2) === to.charCodeAt(column - 1)
      ) {
        best = Math.min(best, before[column - 2]! + 1)
      }
      current[column] = best
      if (best < least) least = best
    }
    if (least > limit + 1) return undefined
    ;[before, previous, current] = [previous, current, before]
  }
  const found = previous[to.length]!
  return found > limit ? undefined : found
}

/** Maximum number of characters that are compared for one suggestion: less than a millisecond. */
const mostSteps = 250_000

/** `; did you mean "x"?` with the most similar known name, or an empty text when none is similar. */
export const suggestion = (name: string, known: Iterable<string>): string => {
  if (name.length > mostCompared) return ""
  const word = name.toLowerCase()
  let limit = Math.max(1, Math.floor(name.length / 3))
  let nearest: string | undefined
  let steps = 0
  for (const candidate of known) {
    if (limit < 0 || Math.abs(candidate.length - name.length) > limit) continue
    steps += name.length * candidate.length
    if (steps > mostSteps) break
    const edits = distance(word, candidate.toLowerCase(), limit)
    if (edits !== undefined) [nearest, limit] = [candidate, edits - 1]
  }
  return nearest === undefined ? "" : `; did you mean ${JSON.stringify(nearest)}?`
}

/** What is wrong with a name that is not among the known ones: the one that may be meant, else which there are. */
export const unknownName = (name: string, known: Iterable<string>, place = "here"): string => {
  const names = [...known]
  const others = names.length === 0 ? "" : `: there is ${listed(names)}`
  return `There is no ${JSON.stringify(name)} ${place}${suggestion(name, names) || others}`
}

/** The names as a list for a message, shortened if it is long. */
export const listed = (names: Iterable<string>): string => {
  const all = [...names]
  return all.length > 20 ? `${all.slice(0, 20).join(", ")} and ${all.length - 20} more` : all.join(", ")
}

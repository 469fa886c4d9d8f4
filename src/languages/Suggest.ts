/** Maximum number of suggestions in one report, because finding one takes time. */
export const maxSuggestions = 50

/** The edit distance of two words (insert, delete, replace, swap neighbours), or `limit + 1` if it is larger. */
const distance = (from: string, to: string, limit: number): number => {
  if (Math.abs(from.length - to.length) > limit) return limit + 1
  let before: Array<number> = []
  let previous = Array.from({ length: to.length + 1 }, (_, index) => index)
  for (let row = 1; row <= from.length; row++) {
    const current = [row]
    for (let column = 1; column <= to.length; column++) {
      const same = from[row - 1] === to[column - 1]
      let best = Math.min(previous[column]! + 1, current[column - 1]! + 1, previous[column - 1]! + (same ? 0 : 1))
      if (row > 1 && column > 1 && from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1]) {
        best = Math.min(best, before[column - 2]! + 1)
      }
      current.push(best)
    }
    before = previous
    previous = current
  }
  return previous[to.length]!
}

/** `; did you mean "x"?` with the most similar known name, or an empty text when none is similar. */
export const suggestion = (name: string, known: Iterable<string>): string => {
  const limit = Math.max(1, Math.floor(Math.min(name.length, 64) / 3))
  let nearest: string | undefined
  let least = limit + 1
  for (const candidate of known) {
    const edits = name.length > 64 ? least : distance(name.toLowerCase(), candidate.toLowerCase(), limit)
    if (edits < least) [nearest, least] = [candidate, edits]
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

/** Whether the text contains a wildcard. */
export const hasWildcard = (pattern: string): boolean => /[*?]/.test(pattern)

/**
 * Whether the text matches: `*` matches any characters, `?` one, all others themselves. Takes at most pattern length
 * times text length steps.
 */
export const matchesWildcard = (pattern: string, text: string): boolean => {
  let [p, t, star, mark] = [0, 0, -1, 0]
  while (t < text.length) {
    if (pattern[p] === "*") {
      star = p++
      mark = t
    } else if (p < pattern.length && (pattern[p] === "?" || pattern[p] === text[t])) {
      p++
      t++
    } else if (star !== -1) {
      p = star + 1
      t = ++mark
    } else return false
  }
  while (pattern[p] === "*") p++
  return p === pattern.length
}

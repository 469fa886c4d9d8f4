/** Whether the text holds a wildcard. */
export const hasWildcard = (pattern: string): boolean => /[*?]/.test(pattern)

/**
 * Whether the text matches: `*` stands for any characters, `?` for one, everything else for itself. Takes at most
 * pattern times text steps, however many stars there are.
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

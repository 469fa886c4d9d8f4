/** A page in its searchable form. */
export interface PageText {
  readonly path: string
  readonly title: string
  /** `headings` and `lower` are in lower case; `lower` is made from `text`. */
  readonly headings: string
  readonly text: string
  readonly lower: string
}

/** A page that contains all words; the best match comes first. */
export interface Hit {
  readonly page: PageText
  readonly score: number
  /** The text around the first match. */
  readonly snippet: string
}

/** Number of characters shown around a match. */
const around = 90

const countOf = (text: string, word: string, most: number): number => {
  let count = 0
  for (let at = text.indexOf(word); at >= 0 && count < most; at = text.indexOf(word, at + word.length)) count += 1
  return count
}

export const wordsOf = (query: string): ReadonlyArray<string> =>
  query
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== "")

/** The pages that contain all words of the query; matches in titles and headings come first. */
export const search = (pages: ReadonlyArray<PageText>, query: string): ReadonlyArray<Hit> => {
  const words = wordsOf(query)
  if (words.length === 0) return []
  const hits = pages.flatMap((page) => {
    const title = page.title.toLowerCase()
    const path = page.path.toLowerCase()
    const has = (word: string) => page.lower.includes(word) || title.includes(word) || path.includes(word)
    if (!words.every(has)) return []
    let score = 0
    for (const word of words) {
      score += (title.includes(word) ? 40 : 0) + (title === word ? 40 : 0) + (path.includes(word) ? 20 : 0)
      score += 5 * countOf(page.headings, word, 4) + countOf(page.lower, word, 10)
    }
    const first = Math.max(0, page.lower.indexOf(words.find((word) => page.lower.includes(word)) ?? ""))
    const begin = Math.max(0, first - around)
    const end = Math.min(page.text.length, first + 2 * around)
    const snippet = `${begin > 0 ? "…" : ""}${page.text.slice(begin, end)}${end < page.text.length ? "…" : ""}`
    return [{ page, score, snippet }]
  })
  return hits.sort((one, other) => other.score - one.score || (one.page.path < other.page.path ? -1 : 1))
}

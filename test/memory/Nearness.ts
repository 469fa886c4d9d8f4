import { wordsOf } from "../../src/languages/query/text/Words.ts"

const compiled = new Map<string, RegExp>()

/** Whether a text matches an expression, as PostgreSQL would decide. */
export const fits = (pattern: string, text: string): boolean => {
  let expression = compiled.get(pattern)
  if (expression === undefined) {
    if (compiled.size > 1000) compiled.clear()
    expression = new RegExp(pattern, "su")
    compiled.set(pattern, expression)
  }
  return expression.test(text)
}

/**
 * Whether words of a text match the expressions at most `slop` moves from their sequence. An expression that is found
 * at position p and comes i-th has moved by p - i; the least and the greatest of these numbers differ by at most
 * `slop`, as in Elasticsearch: swapping two words next to each other takes two moves. Each expression has a word of its
 * own. `flow_near` in the database does the same.
 */
export const isNear = (text: string, patterns: ReadonlyArray<string>, slop: number): boolean => {
  const words = wordsOf(text)
  const places = patterns.map((pattern) => [...words.keys()].filter((at) => fits(pattern, words[at] ?? "")))
  if (places.some(({ length }) => length === 0)) return false
  const moves = new Set(places.flatMap((found, at) => found.map((place) => place - at)))
  return [...moves].some((least) => {
    const used = new Set<number>()
    return places.every((found, at) => {
      const place = found.find((one) => one >= least + at && one <= least + at + slop && !used.has(one))
      if (place !== undefined) used.add(place)
      return place !== undefined
    })
  })
}

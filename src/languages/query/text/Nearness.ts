import { fits } from "./TextPattern.ts"
import { wordsOf } from "./Words.ts"

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

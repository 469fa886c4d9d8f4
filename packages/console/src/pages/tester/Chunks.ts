/**
 * Maximum number of tested lines, and of lines and UTF-16 units per request. The first request is small, for a quick
 * answer.
 */
export const mostLines = 100_000
const firstLines = 200
const lines = 2000
const units = 512 * 1024

/** A part of the samples. `before` is the number of lines in front of it. */
export interface Chunk {
  readonly text: string
  readonly before: number
}

/** Splits the samples at line ends into one part per request. */
export function* chunks(samples: string): Generator<Chunk, void, undefined> {
  let start = 0
  let before = 0
  while (start < samples.length && before < mostLines) {
    const most = Math.min(before === 0 ? firstLines : lines, mostLines - before)
    let end = start
    let count = 0
    while (end < samples.length && count < most && (end === start || end - start < units)) {
      const feed = samples.indexOf("\n", end)
      end = feed === -1 ? samples.length : feed + 1
      count += 1
    }
    yield { text: samples.slice(start, end), before }
    start = end
    before += count
  }
}

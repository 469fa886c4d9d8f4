/** Lines that are tested, and lines and UTF-16 units of a request: the first answer is to be there at once. */
export const mostLines = 100_000
const firstLines = 200
const lines = 2000
const units = 512 * 1024

/** A part of the samples. Its lines are counted from `before` on. */
export interface Chunk {
  readonly text: string
  readonly before: number
}

/** Cuts the samples at line ends into parts for a request each. */
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

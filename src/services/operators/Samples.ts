/** One piece of test input; `line` is the number (from 1) of the input line it starts at. */
export interface Sample {
  readonly line: number
  readonly text: string
}

export type Split = "lines" | "none"

/**
 * Cuts an input into samples, one at a time: every line that is not empty (LF or CRLF ends it, blanks belong to it),
 * or with `none` the whole input, line ends included.
 */
export function* samples(input: string, split: Split): Generator<Sample, void, undefined> {
  if (split === "none") {
    if (input !== "") yield { line: 1, text: input }
    return
  }
  let start = 0
  for (let line = 1; start < input.length; line++) {
    const newline = input.indexOf("\n", start)
    const end = newline < 0 ? input.length : newline
    const text = input.slice(start, input[end - 1] === "\r" && end > start ? end - 1 : end)
    if (text !== "") yield { line, text }
    start = end + 1
  }
}

/** The patterns of a text: every line that is neither empty nor starts with `#`, with its line number. */
export const patternLines = (text: string): ReadonlyArray<Sample> =>
  [...samples(text, "lines")].filter((sample) => !sample.text.startsWith("#"))

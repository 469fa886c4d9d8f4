/** One sample of the test input. `line` is the number, from 1, of the input line where it starts. */
export interface Sample {
  readonly line: number
  readonly text: string
}

export type Split = "lines" | "none"

/**
 * Cuts an input into samples, lazily. With `lines`, each non-empty line is a sample; lines end with LF or CRLF and keep
 * their blanks. With `none`, the whole input is one sample, line ends included.
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

/** The patterns of a text with their line numbers: all lines that are neither empty nor start with `#`. */
export const patternLines = (text: string): ReadonlyArray<Sample> =>
  [...samples(text, "lines")].filter((sample) => !sample.text.startsWith("#"))

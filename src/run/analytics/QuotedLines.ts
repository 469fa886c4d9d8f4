import { keptLength, LineSplitter, maxLineLength } from "../../nodes/formats/LineSplitter.ts"

/**
 * The lines of a text file as a CSV file with one quoted column, so that DuckDB interprets nothing in them. LF or CRLF
 * end a line, invalid UTF-8 becomes U+FFFD, empty lines stay. `tooLong` receives the beginning of each dropped line.
 */
export async function* quotedLines(
  chunks: AsyncIterable<Uint8Array>,
  tooLong: (beginning: string) => void
): AsyncGenerator<string> {
  const splitter = new LineSplitter((line) => tooLong(line.slice(0, keptLength)))
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true })
  let begun = false
  const quoted = (lines: ReadonlyArray<string>): string =>
    `"${lines.join("\n").replaceAll('"', '""').replaceAll("\n", '"\n"')}"\n`
  const decode = (chunk: Uint8Array | undefined): string => {
    const text = chunk === undefined ? decoder.decode() : decoder.decode(chunk, { stream: true })
    if (begun || text === "") return text
    begun = true
    return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text
  }
  for await (const chunk of chunks) {
    const lines = splitter.push(decode(chunk))
    if (lines.length > 0) yield quoted(lines)
  }
  const rest = [...splitter.push(decode(undefined)), ...splitter.end()]
  if (rest.length > 0) yield quoted(rest)
}

/** Why a line was dropped. */
export const tooLongReason = `the line is longer than ${maxLineLength} characters`

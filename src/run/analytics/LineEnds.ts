import { createReadStream } from "node:fs"

const [quote, cr, lf] = [34, 13, 10]

/** A piece of a CSV file. No line feed is apart from the CR before it. */
interface Piece {
  readonly bytes: Buffer
  /** The offsets of the line feeds that end rows; that of a CR at the end of the file, which is a piece by itself. */
  readonly ends: ReadonlyArray<number>
  /** The line, from 1, of a CR outside of quotes that ends nothing. */
  readonly lone: number | undefined
}

async function* pieces(path: string): AsyncGenerator<Piece> {
  let held = Buffer.alloc(0)
  let inQuotes = false
  let line = 1
  for await (const chunk of createReadStream(path, { highWaterMark: 1024 * 1024 })) {
    const whole = held.length === 0 ? chunk : Buffer.concat([held, chunk])
    const length = whole.at(-1) === cr ? whole.length - 1 : whole.length
    const bytes: Buffer = whole.subarray(0, length)
    held = whole.subarray(length)
    const ends: Array<number> = []
    let lone: number | undefined
    for (let at = 0; at < length; at++) {
      const byte = bytes[at]
      if (byte === quote) inQuotes = !inQuotes
      else if (byte === lf) {
        line++
        if (!inQuotes) ends.push(at)
      } else if (byte === cr && !inQuotes && bytes[at + 1] !== lf) lone ??= line
    }
    yield { bytes, ends, lone }
  }
  if (held.length > 0) yield { bytes: held, ends: inQuotes ? [] : [0], lone: undefined }
}

/** Whether some rows of a CSV file end in CRLF and others in LF, or the last one in CR. */
export const hasMixedEnds = async (path: string): Promise<boolean> => {
  const seen = new Set<boolean>()
  for await (const { bytes, ends } of pieces(path)) {
    for (const end of ends) seen.add(bytes[end - 1] === cr)
    if (seen.size > 1 || (bytes[0] === cr && ends[0] === 0)) return true
  }
  return false
}

/** The bytes of a CSV file, with LF at the end of each row. */
export async function* withEvenEnds(path: string): AsyncGenerator<Uint8Array> {
  for await (const { bytes, ends } of pieces(path)) {
    const even = Buffer.alloc(bytes.length)
    let [from, to] = [0, 0]
    for (const end of ends) {
      const until = bytes[end] === cr ? end : end - 1
      if (bytes[until] !== cr) continue
      to += bytes.copy(even, to, from, until)
      from = until + 1
    }
    to += bytes.copy(even, to, from)
    yield even.subarray(0, to)
  }
}

/** The line, from 1, of the first CR outside of quotes that ends nothing. */
export const lineOfLoneReturn = async (path: string): Promise<number | undefined> => {
  for await (const { lone } of pieces(path)) if (lone !== undefined) return lone
  return undefined
}

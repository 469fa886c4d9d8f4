const encoder = new TextEncoder()
const buffer = new Uint8Array(1 << 16)
const asciiText = /^[\x00-\x7f]*$/

/**
 * True when every character is ASCII. Encoding into a spare buffer is several times faster than a loop over the
 * characters.
 */
export const isAscii = (text: string): boolean => {
  if (text.length > buffer.length) return asciiText.test(text)
  const { read, written } = encoder.encodeInto(text, buffer)
  return read === text.length && written === read
}

/** True when all texts are ASCII. Joining them takes half the time of separate checks. */
export const areAscii = (texts: ReadonlyArray<string>): boolean => {
  let joined = ""
  for (let index = 0; index < texts.length; index++) {
    joined += texts[index]
    if (joined.length < buffer.length / 2) continue
    if (!isAscii(joined)) return false
    joined = ""
  }
  return isAscii(joined)
}

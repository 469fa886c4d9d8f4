const encoder = new TextEncoder()
const buffer = new Uint8Array(1 << 16)
const asciiText = /^[\x00-\x7f]*$/

/**
 * True when every character is ASCII. Encoding into a spare buffer is several times as quick as looking at each one.
 */
export const isAscii = (text: string): boolean => {
  if (text.length > buffer.length) return asciiText.test(text)
  const { read, written } = encoder.encodeInto(text, buffer)
  return read === text.length && written === read
}

/** The same for all of several texts: joined, they take half as long. */
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

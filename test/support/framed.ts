/**
 * The values of a document in the form that a `LineEncoder` reads: each in UTF-8 after its length; -1 for a missing
 * one.
 */
export const framed = (texts: ReadonlyArray<string | null>): Uint8Array =>
  Buffer.concat(
    texts.flatMap((text) => {
      const length = Buffer.alloc(4)
      length.writeInt32BE(text === null ? -1 : Buffer.byteLength(text))
      return text === null ? [length] : [length, Buffer.from(text)]
    })
  )

const blockBytes = 64

type Sha256 = () => { readonly update: (bytes: Uint8Array) => void; readonly hex: () => string }

const bytesOf = (hex: string): Uint8Array =>
  Uint8Array.from({ length: hex.length / 2 }, (_, at) => Number.parseInt(hex.slice(at * 2, at * 2 + 2), 16))

/** HMAC-SHA-256 (RFC 2104) of a text's UTF-8 as 64 hexadecimal digits. */
export const hmac = (sha256: Sha256, key: string): ((text: string) => string) => {
  const encoder = new TextEncoder()
  const digest = (...pieces: ReadonlyArray<Uint8Array>) => {
    const hash = sha256()
    for (const piece of pieces) hash.update(piece)
    return hash.hex()
  }
  const given = encoder.encode(key)
  const block = new Uint8Array(blockBytes)
  block.set(given.length > blockBytes ? bytesOf(digest(given)) : given)
  const [inner, outer] = [0x36, 0x5c].map((pad) => block.map((byte) => byte ^ pad)) as [Uint8Array, Uint8Array]
  return (text) => digest(outer, bytesOf(digest(inner, encoder.encode(text))))
}

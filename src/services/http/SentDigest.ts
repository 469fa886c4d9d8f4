/** A SHA-256 that a client sends, in base64, and the header that has it. */
export interface Digest {
  readonly header: string
  /** Empty, which no hash is, when it is not a byte sequence as RFC 8941 writes it. */
  readonly sha256: string
}

const valueOf = (field: unknown): string => (Array.isArray(field) ? field.join(", ") : String(field ?? ""))

/** What `Content-Digest` and `Repr-Digest` (RFC 9530) say of the SHA-256; other algorithms are not looked at. */
export const sentDigests = (fields: Readonly<Record<string, unknown>>): ReadonlyArray<Digest> =>
  ["content-digest", "repr-digest"].flatMap((header) => {
    const said = /(?:^|,)\s*sha-256=([^,]*)/i.exec(valueOf(fields[header]))?.[1]
    if (said === undefined) return []
    return { header, sha256: /^:([A-Za-z0-9+/]*={0,2}):\s*(?:;.*)?$/.exec(said)?.[1] ?? "" }
  })

/** What is wrong when the bytes' SHA-256 is not what is said of them; undefined when it is. */
export const digestFaultOf = (digests: ReadonlyArray<Digest>, actual: string): string | undefined => {
  const wrong = digests.find(({ sha256 }) => sha256 !== actual)
  return wrong === undefined ? undefined : `${wrong.header} is not the SHA-256 of what was received`
}

/** A SHA-256 that a client sends, in base64, and the header that has it. */
export interface Digest {
  readonly header: string
  readonly sha256: string
}

const valueOf = (field: unknown): string => (Array.isArray(field) ? field.join(", ") : String(field ?? ""))

/** The SHA-256 of `Content-Digest` or `Repr-Digest` (RFC 9530), if the headers have one. */
export const sentDigest = (fields: Readonly<Record<string, unknown>>): Digest | undefined => {
  for (const header of ["content-digest", "repr-digest"]) {
    const sha256 = /(?:^|,)\s*sha-256=:([A-Za-z0-9+/]*={0,2}):/.exec(valueOf(fields[header]))?.[1]
    if (sha256 !== undefined) return { header, sha256 }
  }
  return undefined
}

/** The headers of a plain request that its answer may depend on. */
interface PlainHeaders extends Readonly<Record<string, string | undefined>> {
  readonly host: string
  readonly authorization: string | undefined
  readonly "x-api-key": string | undefined
  readonly "x-request-id": string | undefined
}

/** Headers that a request may have only once. */
const singular = ["host", "authorization", "x-api-key", "x-request-id"] as const
type Singular = (typeof singular)[number]

/**
 * Headers that cannot change a small answer, and those of proxies, which are read elsewhere. `Accept-Encoding` matters
 * only if it refuses something.
 */
const others = [
  ...["connection", "keep-alive", "user-agent", "accept", "accept-language", "cache-control", "pragma"],
  ...["forwarded", "x-forwarded-for", "x-forwarded-host", "x-forwarded-proto", "x-real-ip"]
] as const

/** The usual spellings of a name: `x-request-id`, `X-Request-Id`, `X-API-Key`. */
const spellings = (name: string): ReadonlyArray<string> => [
  name,
  name.replace(/\b[a-z]/g, (letter) => letter.toUpperCase()),
  name.replace(/\b(api|id|ip|[a-z])/g, (word) => word.toUpperCase())
]

const kinds = new Map<string, Singular | "coding" | "other">([
  ...singular.flatMap((name) => spellings(name).map((spelling) => [spelling, name] as const)),
  ...spellings("accept-encoding").map((spelling) => [spelling, "coding"] as const),
  ...others.flatMap((name) => spellings(name).map((spelling) => [spelling, "other"] as const))
])

/**
 * Reads the headers of a plain request from alternating names and values. Undefined for any other request: one with a
 * condition, a cookie, an origin or a body, with an unknown or repeated header, or without a host.
 */
export const plainHeaders = (raw: ReadonlyArray<string>): PlainHeaders | undefined => {
  const found: { [name in Singular]: string | undefined } = {
    host: undefined,
    authorization: undefined,
    "x-api-key": undefined,
    "x-request-id": undefined
  }
  for (let at = 0; at < raw.length; at += 2) {
    const value = raw[at + 1]!
    const kind = kinds.get(raw[at]!)
    if (kind === undefined) return undefined
    if (kind === "other") continue
    if (kind === "coding") {
      if (value.includes(";")) return undefined
      continue
    }
    if (found[kind] !== undefined) return undefined
    found[kind] = value
  }
  const { host } = found
  return host === undefined ? undefined : { ...found, host }
}

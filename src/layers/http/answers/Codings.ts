import * as zlib from "node:zlib"

/** The content codings of answers, the preferred one first. Node has zstd from 22.15 on. */
const codings = (["zstd", "gzip"] as const).filter(
  (coding) => coding === "gzip" || typeof zlib.createZstdCompress === "function"
)
export type Coding = "gzip" | "zstd"

const member = /^([!#$%&'*+.^_`|~0-9a-z-]+)(?:\s*;\s*q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?))?$/

/** What a client accepts. */
export interface AcceptedCodings {
  /** The preferred coding; undefined when it prefers none, or accepts none that the gateway has. */
  readonly coding: Coding | undefined
  /** Whether it accepts an uncompressed answer. */
  readonly identity: boolean
}

const nothing: AcceptedCodings = { coding: undefined, identity: true }

/** Parses `Accept-Encoding` (RFC 9110, section 12.5.3). Malformed parts are ignored. */
export const acceptedCoding = (header: string | undefined): AcceptedCodings => {
  if (header === undefined) return nothing
  const weights = new Map<string, number>()
  for (const part of header.toLowerCase().split(",")) {
    const match = member.exec(part.trim())
    if (match?.[1] !== undefined) weights.set(match[1] === "x-gzip" ? "gzip" : match[1], Number(match[2] ?? 1))
  }
  const any = weights.get("*")
  const weightOf = (coding: Coding) => weights.get(coding) ?? any ?? 0
  const best = codings.reduce((one, other) => (weightOf(other) > weightOf(one) ? other : one))
  const identity = weights.get("identity")
  const isBetter = weightOf(best) > 0 && weightOf(best) >= (identity ?? 0)
  return { coding: isBetter ? best : undefined, identity: (identity ?? any ?? 1) > 0 }
}

// Higher levels make answers a twentieth smaller and take twice the time. A small window keeps the memory of a stream at
// half a MiB, and costs nothing in lists. docs/benchmarks.md has the figures.
const gzip = { level: 1 }
const zstd = { params: { [zlib.constants.ZSTD_c_compressionLevel]: 1, [zlib.constants.ZSTD_c_windowLog]: 17 } }

/** Compresses all bytes in one call, outside the event loop. */
export const compress = (coding: Coding, bytes: Uint8Array): Promise<Uint8Array> =>
  new Promise((resolve, reject) => {
    const done = (error: Error | null, result: Uint8Array) => (error === null ? resolve(result) : reject(error))
    if (coding === "gzip") zlib.gzip(bytes, gzip, done)
    else zlib.zstdCompress(bytes, zstd, done)
  })

/** Compresses a stream. Each write is flushed, so that the reader gets it without waiting for more. */
export const compressor = (coding: Coding) =>
  coding === "gzip"
    ? zlib.createGzip({ ...gzip, flush: zlib.constants.Z_SYNC_FLUSH })
    : zlib.createZstdCompress({ ...zstd, flush: zlib.constants.ZSTD_e_flush })

import { Context } from "effect"

/** An incremental SHA-256. */
export interface RunningHash {
  readonly update: (chunk: Uint8Array) => void
  /** The digest in base64. No bytes may be added afterwards. */
  readonly base64: () => string
}

/** Hashes data that is too large for memory; the Web Crypto API has no incremental digest. */
export class StreamHash extends Context.Service<StreamHash, { readonly sha256: () => RunningHash }>()(
  "flow/shared/StreamHash"
) {}

import { Context } from "effect"

/** A SHA-256 of bytes that come piece by piece. */
export interface RunningHash {
  readonly update: (chunk: Uint8Array) => void
  /** The digest in base64. Nothing can be added after it. */
  readonly base64: () => string
}

/** Hashes what is too large to be held; the Web Crypto API cannot. */
export class StreamHash extends Context.Service<StreamHash, { readonly sha256: () => RunningHash }>()(
  "flow/shared/StreamHash"
) {}

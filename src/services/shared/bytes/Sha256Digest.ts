import { Effect } from "effect"
import * as Hex from "effect/encoding/Hex"

/** The SHA-256 of bytes, or of a text in UTF-8. It is made beside the event loop. */
export const sha256Of = (given: string | Uint8Array<ArrayBuffer>): Effect.Effect<Uint8Array<ArrayBuffer>> =>
  Effect.promise(async () => {
    const bytes = typeof given === "string" ? new TextEncoder().encode(given) : given
    return new Uint8Array(await crypto.subtle.digest("SHA-256", bytes))
  })

/** The {@link sha256Of} in hex. */
export const hexDigest = (given: string | Uint8Array<ArrayBuffer>): Effect.Effect<string> =>
  Effect.map(sha256Of(given), Hex.encode)

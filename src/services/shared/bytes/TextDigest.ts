import { Effect } from "effect"
import * as Hex from "effect/encoding/Hex"

/** The SHA-256 of a text in UTF-8, in hex. It is made beside the event loop. */
export const textDigest = (text: string): Effect.Effect<string> =>
  Effect.promise(async () =>
    Hex.encode(new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text))))
  )

import { createHash } from "node:crypto"
import { Layer } from "effect"
import { StreamHash } from "../../services/shared/bytes/StreamHash.ts"

/** Hashes with `node:crypto`. */
export const layer = Layer.succeed(StreamHash, {
  sha256: () => {
    const hash = createHash("sha256")
    return { update: (chunk) => void hash.update(chunk), base64: () => hash.digest("base64") }
  }
})

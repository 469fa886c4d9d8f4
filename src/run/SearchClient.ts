import { createHash } from "node:crypto"
import type { Documents } from "../nodes/Documents.ts"
import type { SearchAddress } from "../protocol/Places.ts"
import type { RunSpec } from "../protocol/RunProtocol.ts"

/** The tenant's indices for a run: what reaches them is loaded, and connected, when a node first asks. */
export const documentsAt = (address: SearchAddress | undefined, tenant: string, signal: AbortSignal): Documents => {
  let opened: Promise<Documents> | undefined
  const open = async () => (await import("./SearchDocuments.ts")).openDocuments(address, tenant, signal)
  const documents = () => {
    opened ??= open()
    return opened
  }
  return {
    indices: async (pattern) => (await documents()).indices(pattern),
    read: async function* (pattern, query, options) {
      yield* (await documents()).read(pattern, query, options)
    },
    rows: async function* (pattern, query, options) {
      yield* (await documents()).rows(pattern, query, options)
    },
    encoded: async function* (pattern, query, options) {
      yield* (await documents()).encoded(pattern, query, options)
    },
    write: async (index, given) => (await documents()).write(index, given)
  }
}

/** What the records of a run are named by: an attempt that goes on where another stopped counts from one again. */
export const runIdOf = ({ executionId, epoch, positions }: RunSpec): string =>
  positions === undefined || Object.keys(positions).length === 0 ? executionId : `${executionId}.${epoch}`

/** A SHA-256 of bytes that come piece by piece. */
export const sha256 = () => {
  const hash = createHash("sha256")
  return { update: (bytes: Uint8Array) => void hash.update(bytes), hex: () => hash.digest("hex") }
}

import { createHash } from "node:crypto"
import { once } from "../drivers/Once.ts"
import type { Documents } from "../nodes/ports/Documents.ts"
import type { SearchAddress } from "../protocol/Places.ts"
import type { RunSpec } from "../protocol/RunProtocol.ts"
import type { TenantBudget } from "./TenantBudget.ts"

/** The tenant's indices for a run. The client is loaded and connected when a node first uses it. */
export const documentsAt = (
  address: SearchAddress | undefined,
  tenant: string,
  signal: AbortSignal,
  budget: TenantBudget
): Documents => {
  const documents = once(async () =>
    (await import("./SearchDocuments.ts")).openDocuments(address, tenant, signal, budget)
  )
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

/**
 * The prefix of the run's record ids. It contains the epoch, because an attempt that resumes at stored positions counts
 * records from 1 again.
 */
export const runIdOf = ({ executionId, epoch, positions }: RunSpec): string =>
  positions === undefined || Object.keys(positions).length === 0 ? executionId : `${executionId}.${epoch}`

/** An incremental SHA-256. */
export const sha256 = () => {
  const hash = createHash("sha256")
  return { update: (bytes: Uint8Array) => void hash.update(bytes), hex: () => hash.digest("hex") }
}

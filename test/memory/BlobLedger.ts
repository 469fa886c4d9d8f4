import { Effect, Layer } from "effect"
import { BlobLedger, type BlobName, type CheckPlace, type UnusedBlob } from "../../src/services/blobs/BlobLedger.ts"
import type { TenantId } from "../../src/services/shared/Tenant.ts"

/** What is known of blobs, in memory. */
export const layer = Layer.sync(BlobLedger, () => {
  const unused = new Map<TenantId, Map<string, UnusedBlob>>()
  const damaged = new Map<string, BlobName>()
  const keyOf = ({ tenant, sha256 }: BlobName) => `${tenant}/${sha256}`
  let place: CheckPlace = { tenant: "", sha256: "", roundBeganAt: 0, roundEnded: false }
  return BlobLedger.of({
    installation: Effect.succeed("memory"),
    sample: Effect.succeed([]),
    unused: (tenant) => Effect.sync(() => [...(unused.get(tenant)?.values() ?? [])]),
    noteUnused: (tenant, blobs) =>
      Effect.sync(() => {
        const noted = unused.get(tenant) ?? new Map<string, UnusedBlob>()
        unused.set(tenant, noted)
        for (const blob of blobs) noted.set(blob.sha256, blob)
      }),
    forgetUnused: (tenant, sha256s) =>
      Effect.sync(() => {
        for (const sha256 of sha256s) unused.get(tenant)?.delete(sha256)
      }),
    damaged: Effect.sync(() => [...damaged.values()]),
    noteDamaged: (blob) => Effect.sync(() => void damaged.set(keyOf(blob), blob)),
    forgetDamaged: (blob) => Effect.sync(() => void damaged.delete(keyOf(blob))),
    takeCheck: () => Effect.sync(() => place),
    moveCheck: (_, moved) =>
      Effect.sync(() => {
        place = moved
      })
  })
})

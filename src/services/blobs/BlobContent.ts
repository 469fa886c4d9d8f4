import { Effect, type Stream } from "effect"
import type { Blobs, ByteSpan } from "../../drivers/blobs/Blobs.ts"
import { StorageUnreachable } from "../../errors/StorageUnreachable.ts"
import type { TenantId } from "../shared/Tenant.ts"

/** Stored bytes, as downloads use them. */
export interface Content<E = StorageUnreachable> {
  readonly read: (span: ByteSpan) => Effect.Effect<Stream.Stream<Uint8Array, StorageUnreachable>, E>
  /** Fails like `read` when the bytes are gone, without opening them. */
  readonly present: Effect.Effect<void, E>
}

export const contentOfBlob = (blobs: Blobs["Service"], tenant: TenantId, sha256: string): Content => ({
  read: (span) => blobs.read(tenant, sha256, span),
  present: Effect.flatMap(blobs.size(tenant, sha256), (size) =>
    size === undefined ? Effect.fail(new StorageUnreachable({ storage: "data" })) : Effect.void
  )
})

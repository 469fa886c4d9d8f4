import { Effect } from "effect"
import type { Blobs } from "../../drivers/blobs/Blobs.ts"
import { StorageUnreachable } from "../../errors/StorageUnreachable.ts"
import type { TenantId } from "../shared/Tenant.ts"

/** Fails like a read of the blob if its bytes are gone, without opening them. */
export const ensurePresent = (blobs: Blobs["Service"], tenant: TenantId, sha256: string) =>
  Effect.flatMap(blobs.size(tenant, sha256), (size) =>
    size === undefined ? Effect.fail(new StorageUnreachable({ storage: "data" })) : Effect.void
  )

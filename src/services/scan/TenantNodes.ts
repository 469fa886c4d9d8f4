import { Context, type Effect } from "effect"
import type { StorageUnreachable } from "../../errors/StorageUnreachable.ts"
import type { TenantId } from "../shared/Tenant.ts"
import type { NodeDescriptor } from "./Descriptor.ts"

/** What a scan found. `isSettled` is false where another one may find something else although nothing has changed. */
interface TenantScan {
  readonly nodes: ReadonlyArray<NodeDescriptor>
  readonly isSettled: boolean
}

/** The nodes that a tenant adds to the catalogue. */
export class TenantNodes extends Context.Service<
  TenantNodes,
  {
    /** A cheap value that changes whenever {@link scan} may have a new result. */
    readonly version: (tenant: TenantId) => Effect.Effect<string, StorageUnreachable>
    /**
     * The node files among the tenant's artifacts, each in its latest version, as name and text. A run reads the files
     * of the tenant's configuration folder itself.
     */
    readonly files: (
      tenant: TenantId
    ) => Effect.Effect<ReadonlyArray<readonly [name: string, text: string]>, StorageUnreachable>
    /** Scans the tenant's nodes. A node that cannot be read becomes a descriptor with an `error`. */
    readonly scan: (tenant: TenantId) => Effect.Effect<TenantScan, StorageUnreachable>
  }
>()("flow/scan/TenantNodes") {}

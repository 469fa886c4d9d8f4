import { Context, type Effect } from "effect"
import type { StorageUnreachable } from "../../errors/StorageUnreachable.ts"
import type { NodeDescriptor } from "./Descriptor.ts"

/** Nodes that a tenant brings along, besides the catalogue's. */
export class TenantNodes extends Context.Service<
  TenantNodes,
  {
    /** Changes whenever {@link scan} might find something else; cheap. */
    readonly version: (tenant: string) => Effect.Effect<string, StorageUnreachable>
    /** Reads them; one that cannot be read is a descriptor with an `error`. */
    readonly scan: (tenant: string) => Effect.Effect<ReadonlyArray<NodeDescriptor>, StorageUnreachable>
  }
>()("flow/scan/TenantNodes") {}

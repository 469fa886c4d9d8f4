import { Context, type Effect } from "effect"
import type { StorageUnreachable } from "../../errors/StorageUnreachable.ts"
import type { NodeDescriptor } from "./Descriptor.ts"

/** Nodes that a tenant brings along, besides the catalogue's. */
export class TenantNodes extends Context.Service<
  TenantNodes,
  {
    /** Changes whenever {@link scan} might find something else; cheap. */
    readonly version: (tenant: string) => Effect.Effect<string, StorageUnreachable>
    /**
     * The files among the tenant's artifacts, each in its latest version: name and text. Those of its configuration are
     * read by the run itself.
     */
    readonly files: (
      tenant: string
    ) => Effect.Effect<ReadonlyArray<readonly [name: string, text: string]>, StorageUnreachable>
    /** Reads them; one that cannot be read is a descriptor with an `error`. */
    readonly scan: (tenant: string) => Effect.Effect<ReadonlyArray<NodeDescriptor>, StorageUnreachable>
  }
>()("flow/scan/TenantNodes") {}

import { Context, type Effect, type Scope } from "effect"
import type { StorageUnreachable } from "../../errors/StorageUnreachable.ts"
import type { ConfFile } from "../conf/Conf.ts"
import type { TenantId } from "../shared/Tenant.ts"

/** The tenants' `data/` areas, into which users and flowlines put files. */
export class DataArea extends Context.Service<
  DataArea,
  {
    /**
     * The path in the tenant's area that an address names: a relative path, or a `file:` URL below the area. Undefined
     * for any other address. Only parses; reads nothing.
     */
    readonly pathOf: (tenant: TenantId, address: string) => string | undefined
    /** The absolute `file:` URL of a path in the tenant's area. */
    readonly url: (tenant: TenantId, path: string) => string
    /** Opens a file until the scope closes. Undefined for a missing file, a folder, and a link to outside the area. */
    readonly open: (
      tenant: TenantId,
      path: string
    ) => Effect.Effect<ConfFile | undefined, StorageUnreachable, Scope.Scope>
    /** The size of a file in bytes, or undefined. */
    readonly size: (tenant: TenantId, path: string) => Effect.Effect<number | undefined, StorageUnreachable>
  }
>()("flow/blobs/DataArea") {}

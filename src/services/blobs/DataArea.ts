import { Context, type Effect, type Scope } from "effect"
import type { StorageUnreachable } from "../../errors/StorageUnreachable.ts"
import type { ConfFile } from "../conf/Conf.ts"

/** The tenants' `data/` areas: where people and flowlines put files. */
export class DataArea extends Context.Service<
  DataArea,
  {
    /**
     * The path below the tenant's area that an address names: a relative path, or the area's own absolute `file:` form.
     * Nothing for any other address; nothing is fetched.
     */
    readonly pathOf: (tenant: string, address: string) => string | undefined
    /** The absolute `file:` address of a path in the tenant's area. */
    readonly url: (tenant: string, path: string) => string
    /** An open file for the length of the scope, or nothing: what is missing, a folder, or a link that leads out. */
    readonly open: (
      tenant: string,
      path: string
    ) => Effect.Effect<ConfFile | undefined, StorageUnreachable, Scope.Scope>
    /** The size of a file in bytes, or nothing. */
    readonly size: (tenant: string, path: string) => Effect.Effect<number | undefined, StorageUnreachable>
  }
>()("flow/blobs/DataArea") {}

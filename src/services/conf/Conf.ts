import { Context, type Effect, type Scope, type Stream } from "effect"
import type { ByteSpan } from "../../drivers/blobs/Blobs.ts"
import type { DirectoryRead } from "../../errors/DirectoryRead.ts"
import type { NotFound } from "../../errors/NotFound.ts"
import type { StorageUnreachable } from "../../errors/StorageUnreachable.ts"
import type { TenantId } from "../shared/Tenant.ts"
import type { ConfNode } from "./ConfNode.ts"

/** An open configuration file. `size` and `sha256` describe exactly the bytes that are read. */
export interface ConfFile {
  readonly size: number
  readonly lastModified: Date
  /** SHA-256 of the content, in hex. */
  readonly sha256: string
  readonly read: (span?: ByteSpan) => Stream.Stream<Uint8Array, StorageUnreachable>
}

/**
 * The configuration folders of the tenants. A symbolic link is followed only when its target is inside the tenant's
 * folder. A path is resolved once, and the resolved file is the one that is read, so it cannot be swapped in between.
 */
export class Conf extends Context.Service<
  Conf,
  {
    /** The whole tree of the tenant's folder. */
    readonly tree: (tenant: TenantId) => Effect.Effect<{ readonly [name: string]: ConfNode }, StorageUnreachable>
    /** The sorted names of the subfolders of a folder; empty when the folder does not exist. */
    readonly folders: (tenant: TenantId, path: string) => Effect.Effect<ReadonlyArray<string>, StorageUnreachable>
    /** Opens a file until the scope closes. */
    readonly open: (
      tenant: TenantId,
      path: string
    ) => Effect.Effect<ConfFile, DirectoryRead | NotFound | StorageUnreachable, Scope.Scope>
  }
>()("flow/conf/Conf") {}

import { Context, type Effect, type Scope, type Stream } from "effect"
import type { ByteSpan } from "../../drivers/blobs/Blobs.ts"
import type { DirectoryRead } from "../../errors/DirectoryRead.ts"
import type { NotFound } from "../../errors/NotFound.ts"
import type { StorageUnreachable } from "../../errors/StorageUnreachable.ts"
import type { ConfNode } from "./ConfNode.ts"

/** A configuration file that is open: what is read is what `size` and `version` describe. */
export interface ConfFile {
  readonly size: number
  readonly lastModified: Date
  /** SHA-256 of the content, in hex. */
  readonly sha256: string
  readonly read: (span?: ByteSpan) => Stream.Stream<Uint8Array, StorageUnreachable>
}

/**
 * The configuration folders of the tenants. Symbolic links are followed only when they stay inside the tenant's
 * folder; a path is resolved once and what was resolved is what is read.
 */
export class Conf extends Context.Service<
  Conf,
  {
    /** The whole tree, in one pass. */
    readonly tree: (tenant: string) => Effect.Effect<{ readonly [name: string]: ConfNode }, StorageUnreachable>
    /** The names of the folders in a folder, sorted; none where there is no such folder. */
    readonly folders: (tenant: string, path: string) => Effect.Effect<ReadonlyArray<string>, StorageUnreachable>
    /** Opens a file for the length of the scope. */
    readonly open: (
      tenant: string,
      path: string
    ) => Effect.Effect<ConfFile, DirectoryRead | NotFound | StorageUnreachable, Scope.Scope>
  }
>()("flow/conf/Conf") {}

import { Context, type Effect, type Scope, type Stream } from "effect"
import type { ByteSpan } from "../../drivers/blobs/Blobs.ts"
import type { StorageUnreachable } from "../../errors/StorageUnreachable.ts"
import type { Root } from "../../protocol/Roots.ts"
import type { ListSpan } from "../shared/reads/Listing.ts"
import type { TenantId } from "../shared/Tenant.ts"
import type { RunFile } from "./RunFile.ts"

/** A folder that runs of a tenant write: a root, or the data area when it is undefined. */
export interface Place {
  readonly tenant: TenantId
  readonly root: Root | undefined
}

/** Why there is no file: nothing has this path, a folder has it, or it leads out of the folder. */
export type Absence = "missing" | "directory" | "outside"

/** An open file. `size` and `version` describe exactly the bytes that are read. */
export interface OpenRunFile {
  readonly size: number
  readonly modifiedAt: Date
  /** Changes whenever the content may have changed. */
  readonly version: string
  readonly read: (span: ByteSpan) => Stream.Stream<Uint8Array, StorageUnreachable>
}

/** The files in the folders that runs write. Links are followed inside a folder, never out of it. */
export class RunFileStore extends Context.Service<
  RunFileStore,
  {
    /** The files below the folder, without links, ordered by the segments of their paths. */
    readonly list: (place: Place, span: ListSpan) => Stream.Stream<RunFile, StorageUnreachable>
    /** Opens a file until the scope closes. */
    readonly open: (place: Place, path: string) => Effect.Effect<OpenRunFile | Absence, StorageUnreachable, Scope.Scope>
    /** Why there is no file to remove; undefined when there is one. */
    readonly absence: (place: Place, path: string) => Effect.Effect<Absence | undefined, StorageUnreachable>
    /** Removes a file, or the link of this name. */
    readonly remove: (place: Place, path: string) => Effect.Effect<Absence | undefined, StorageUnreachable>
  }
>()("flow/files/RunFileStore") {}

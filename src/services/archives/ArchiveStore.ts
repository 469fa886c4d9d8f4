import { Context, type Effect, type Stream } from "effect"
import type { StorageUnreachable } from "../../errors/StorageUnreachable.ts"
import type { ListRow, ListSpan } from "../shared/Listing.ts"
import type { TenantId } from "../shared/Tenant.ts"
import type { Archive, ArchiveId } from "./Archive.ts"

/** An archive whose bytes are stored. `ExecutionStore` and `JobStore` add it in the statement that ends its run. */
export type NewArchive = Omit<Archive, "createdAt">

/** The metadata of archives; their bytes are blobs. Every method sees the archives of one tenant only. */
export class ArchiveStore extends Context.Service<
  ArchiveStore,
  {
    readonly get: (tenant: TenantId, id: ArchiveId) => Effect.Effect<Archive | undefined, StorageUnreachable>
    /** The archives as JSON of `Archive`, in creation order. */
    readonly list: (tenant: TenantId, span: ListSpan) => Stream.Stream<ListRow, StorageUnreachable>
    /** Removes the archive and returns its SHA-256, or undefined when there was none. */
    readonly remove: (tenant: TenantId, id: ArchiveId) => Effect.Effect<string | undefined, StorageUnreachable>
    /** Removes all archives and returns their number. */
    readonly removeAll: (tenant: TenantId) => Effect.Effect<number, StorageUnreachable>
    /** Which of the given blobs an archive refers to. */
    readonly references: (
      tenant: TenantId,
      sha256s: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<string>, StorageUnreachable>
  }
>()("flow/archives/ArchiveStore") {}

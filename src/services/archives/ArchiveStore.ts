import { Context, Data, type Effect, type Stream } from "effect"
import type { StorageUnreachable } from "../../errors/StorageUnreachable.ts"
import type { Limits } from "../limits/Limits.ts"
import type { ListRow, ListSpan } from "../shared/reads/Listing.ts"
import type { TenantId } from "../shared/Tenant.ts"
import type { Archive, ArchiveId } from "./Archive.ts"

/** An archive whose bytes are stored. `ExecutionStore` and `JobStore` add it in the statement that ends its run. */
export type NewArchive = Omit<Archive, "createdAt">

/** How many archives a tenant may have, and how many bytes; undefined for no limit. */
export interface ArchiveQuota {
  readonly archives: number | undefined
  readonly archiveBytes: number | undefined
}

/** The archive limits of a tenant. */
export const archiveQuotaOf = ({ archives, archiveBytes }: Limits): ArchiveQuota => ({
  archives: archives.value,
  archiveBytes: archiveBytes.value
})

/** With this archive the tenant would have more than it may. Nothing was changed. */
export class TooManyArchives extends Data.TaggedError("TooManyArchives")<{
  readonly limit: keyof ArchiveQuota
  readonly value: number
  readonly used: number
}> {}

/** The refusal of what a tenant's archives would take then. */
export const tooManyArchives = (
  { archives, archiveBytes }: ArchiveQuota,
  used: { readonly number: number; readonly bytes: number }
): TooManyArchives | undefined => {
  if (archives !== undefined && used.number > archives)
    return new TooManyArchives({ limit: "archives", value: archives, used: used.number })
  if (archiveBytes !== undefined && used.bytes > archiveBytes)
    return new TooManyArchives({ limit: "archiveBytes", value: archiveBytes, used: used.bytes })
  return undefined
}

/** The metadata of archives; their bytes are blobs. Every method sees the archives of one tenant only. */
export class ArchiveStore extends Context.Service<
  ArchiveStore,
  {
    readonly get: (tenant: TenantId, id: ArchiveId) => Effect.Effect<Archive | undefined, StorageUnreachable>
    /** The archives as JSON of `Archive`, in creation order. */
    readonly list: (tenant: TenantId, span: ListSpan) => Stream.Stream<ListRow, StorageUnreachable>
    /** Removes the archive and returns its SHA-256, or undefined when there was none. */
    readonly remove: (tenant: TenantId, id: ArchiveId) => Effect.Effect<string | undefined, StorageUnreachable>
    /** Removes all archives, notes that their blobs are freed, and returns their number. */
    readonly removeAll: (tenant: TenantId) => Effect.Effect<number, StorageUnreachable>
    /** Which of the given blobs an archive refers to. */
    readonly references: (
      tenant: TenantId,
      sha256s: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<string>, StorageUnreachable>
  }
>()("flow/archives/ArchiveStore") {}

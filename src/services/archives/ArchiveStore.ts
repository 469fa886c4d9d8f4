import { Context, type Effect, type Stream } from "effect"
import type { StorageUnreachable } from "../../errors/StorageUnreachable.ts"
import type { ListRow, ListSpan } from "../shared/Listing.ts"
import type { Archive } from "./Archive.ts"

export type NewArchive = Omit<Archive, "createdAt">

/** Where it is kept which archives there are; their bytes are blobs. Every method sees those of one tenant only. */
export class ArchiveStore extends Context.Service<
  ArchiveStore,
  {
    /** Adds an archive. An execution has one at most: a second one under its id changes nothing. */
    readonly put: (tenant: string, archive: NewArchive) => Effect.Effect<void, StorageUnreachable>
    readonly get: (tenant: string, id: string) => Effect.Effect<Archive | undefined, StorageUnreachable>
    /** The archives as JSON of the model, in the order of their making. */
    readonly list: (tenant: string, span: ListSpan) => Stream.Stream<ListRow, StorageUnreachable>
    /** Gives the SHA-256 of the archive that was removed, or nothing when there was none. */
    readonly remove: (tenant: string, id: string) => Effect.Effect<string | undefined, StorageUnreachable>
    readonly removeAll: (tenant: string) => Effect.Effect<void, StorageUnreachable>
    /** Which of the blobs an archive refers to. */
    readonly references: (
      tenant: string,
      sha256s: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<string>, StorageUnreachable>
  }
>()("flow/archives/ArchiveStore") {}

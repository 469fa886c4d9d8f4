import { Context, type Effect, type Stream } from "effect"
import type { StorageUnreachable } from "../../errors/StorageUnreachable.ts"
import type { Quota, Usage } from "../blobs/Quota.ts"
import type { ListRow, ListSpan } from "../shared/Listing.ts"

/** The name of an artifact's version. */
export interface Coordinates {
  readonly group: string
  readonly artifact: string
  readonly version: string
}

/** A version as it is stored. */
export interface StoredArtifact {
  /** The metadata as JSON text, but for the place of the bytes. */
  readonly doc: string
  readonly sha256: string
  readonly size: number
}

export interface NewArtifact extends Coordinates, StoredArtifact {
  readonly type: string
  /** What the manifest says, always written the same way: what tells whether an upload repeats another one. */
  readonly described: string
  /** The stored resource that comes with it. */
  readonly stored: string
}

/** What became of an upload. */
export type Put =
  | { readonly _tag: "Stored" | "Repeated"; readonly artifact: StoredArtifact }
  | { readonly _tag: "Different" }
  | { readonly _tag: "Over"; readonly usage: Usage }

/** What a list shows: names with the wildcards `*` and `?`. */
export interface ArtifactFilter {
  readonly group?: string
  readonly artifact?: string
  readonly type?: string
  /** All versions, not only the latest of each artifact. */
  readonly all: boolean
}

/** The versions of artifacts. Their bytes are blobs. Every method sees those of one tenant only. */
export class ArtifactStore extends Context.Service<
  ArtifactStore,
  {
    /** Adds a version and the stored resource that comes with it, both or neither. */
    readonly put: (tenant: string, artifact: NewArtifact, quota: Quota) => Effect.Effect<Put, StorageUnreachable>
    /** A version, by default the latest. */
    readonly get: (
      tenant: string,
      group: string,
      artifact: string,
      version?: string
    ) => Effect.Effect<StoredArtifact | undefined, StorageUnreachable>
    /** By group, artifact and version; each row's JSON is {@link StoredArtifact.doc}, its `sha256` apart. */
    readonly list: (
      tenant: string,
      filter: ArtifactFilter,
      span: ListSpan
    ) => Stream.Stream<ListRow & { readonly sha256: string }, StorageUnreachable>
    /**
     * Removes these versions, or all, with the stored resources that came with them where those still are in their
     * places. Gives the blobs that may be free now; nothing when one of the versions does not exist: then none is
     * removed.
     */
    readonly remove: (
      tenant: string,
      group: string,
      artifact: string,
      versions?: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<string> | undefined, StorageUnreachable>
    /** Which of the blobs a version refers to. */
    readonly references: (
      tenant: string,
      sha256s: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<string>, StorageUnreachable>
  }
>()("flow/artifacts/ArtifactStore") {}

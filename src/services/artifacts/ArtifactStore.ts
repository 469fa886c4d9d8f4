import { Context, type Effect, type Stream } from "effect"
import type { StorageUnreachable } from "../../errors/StorageUnreachable.ts"
import type { NewEntry } from "../audit/AuditStore.ts"
import type { Quota, Usage } from "../blobs/Quota.ts"
import type { ListRow, ListSpan } from "../shared/reads/Listing.ts"
import type { TenantId } from "../shared/Tenant.ts"
import type { ArtifactName, ArtifactVersion, GroupName } from "./Artifact.ts"

/** The coordinates of an artifact version. */
interface Coordinates {
  readonly group: GroupName
  readonly artifact: ArtifactName
  readonly version: ArtifactVersion
}

/** A version as it is stored. */
export interface StoredArtifact {
  /** The metadata as JSON text, without the location of the bytes. */
  readonly doc: string
  readonly sha256: string
  readonly size: number
}

export interface NewArtifact extends Coordinates, StoredArtifact {
  readonly type: string
  /** The manifest in a canonical form. Two uploads are the same when their hashes and these texts are equal. */
  readonly described: string
  /** Name of the stored resource that is created together with the version. */
  readonly stored: string
}

/** A version without its metadata. `size` is in bytes. */
export interface Build extends Coordinates {
  readonly sha256: string
  readonly size: number
}

/** The outcome of an upload. */
export type Put =
  | { readonly _tag: "Stored" | "Repeated"; readonly artifact: StoredArtifact }
  | { readonly _tag: "Different" }
  | { readonly _tag: "Over"; readonly usage: Usage }

/** The outcome of a removal. */
export type Removal =
  /** The hashes of blobs that may now be unused. */
  | { readonly _tag: "Removed"; readonly sha256s: ReadonlyArray<string> }
  /** Nothing is removed, because these versions, or else the artifact, do not exist. */
  | { readonly _tag: "Missing"; readonly versions: ReadonlyArray<ArtifactVersion> }

/** The filter of a list. Names may contain the wildcards `*` and `?`. */
export interface ArtifactFilter {
  readonly group?: string
  readonly artifact?: string
  readonly type?: string
  /** All versions, not only the latest of each artifact. */
  readonly all: boolean
}

/** The metadata of artifact versions; their bytes are blobs. Every method sees the artifacts of one tenant only. */
export class ArtifactStore extends Context.Service<
  ArtifactStore,
  {
    /**
     * Adds a version, its stored resource and the row of the audit: all of them or, if it is not stored, none. With
     * `expectsMore` more versions of the tenant are about to come, for which the store may wait for some milliseconds.
     */
    readonly put: (
      tenant: TenantId,
      artifact: NewArtifact,
      quota: Quota,
      entry: NewEntry,
      expectsMore?: boolean
    ) => Effect.Effect<Put, StorageUnreachable>
    /** A version, the latest by default. */
    readonly get: (
      tenant: TenantId,
      group: GroupName,
      artifact: ArtifactName,
      version?: ArtifactVersion
    ) => Effect.Effect<StoredArtifact | undefined, StorageUnreachable>
    /**
     * Ordered by group, artifact and version. The JSON of each row is {@link StoredArtifact.doc}; `sha256` is separate.
     */
    readonly list: (
      tenant: TenantId,
      filter: ArtifactFilter,
      span: ListSpan
    ) => Stream.Stream<ListRow & { readonly sha256: string }, StorageUnreachable>
    /**
     * The latest versions of a type, ordered by group and artifact, for the gateway itself. Lists that clients read do
     * not delay it.
     */
    readonly builds: (
      tenant: TenantId,
      type: string,
      limit: number
    ) => Effect.Effect<ReadonlyArray<Build>, StorageUnreachable>
    /**
     * Removes the given versions, or all, with their stored resources as far as those have not been moved or replaced.
     */
    readonly remove: (
      tenant: TenantId,
      group: GroupName,
      artifact: ArtifactName,
      versions?: ReadonlyArray<ArtifactVersion>
    ) => Effect.Effect<Removal, StorageUnreachable>
    /** Which of the given blobs a version refers to. */
    readonly references: (
      tenant: TenantId,
      sha256s: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<string>, StorageUnreachable>
  }
>()("flow/artifacts/ArtifactStore") {}

import { Context, type Effect, type Stream } from "effect"
import type { StorageUnreachable } from "../../errors/StorageUnreachable.ts"
import type { Quota, Usage } from "../blobs/Quota.ts"
import type { ListRow, ListSpan } from "../shared/reads/Listing.ts"
import type { TenantId } from "../shared/Tenant.ts"

/** A stored version of a resource. Its bytes are a blob, or a file in the tenant's data area. */
export interface StoredVersion {
  readonly name: string
  readonly version: number
  readonly place: { readonly sha256: string } | { readonly path: string }
  /** In bytes. */
  readonly size: number
  /** Whether the metadata embeds the bytes. */
  readonly embedded: boolean
  readonly properties?: Readonly<Record<string, unknown>>
  readonly encoding?: string
  readonly compression?: string
  /** ISO 8601 UTC with milliseconds. */
  readonly createdAt: string
}

export interface Registration extends Omit<StoredVersion, "version" | "createdAt" | "embedded" | "place"> {
  readonly path: string
  /** The next one by default. */
  readonly version?: number
}

/** The outcome of creating versions. */
export type Made =
  | { readonly _tag: "Made"; readonly versions: ReadonlyArray<StoredVersion> }
  | { readonly _tag: "Missing" }
  | { readonly _tag: "Exists"; readonly versions: ReadonlyArray<number> }
  | { readonly _tag: "Over"; readonly usage: Usage }

export interface Transfer {
  readonly from: string
  readonly to: string
  /** All by default. */
  readonly version?: number
  readonly embedded: boolean
  /** Whether the versions are removed from their old name. */
  readonly isMove: boolean
}

/** The metadata of named resources in versions. Every method sees the resources of one tenant only. */
export class ResourceStore extends Context.Service<
  ResourceStore,
  {
    /** Copies or moves all requested versions, or none. Bytes are not copied. */
    readonly transfer: (tenant: TenantId, transfer: Transfer, quota: Quota) => Effect.Effect<Made, StorageUnreachable>
    readonly register: (tenant: TenantId, registration: Registration) => Effect.Effect<Made, StorageUnreachable>
    /** The versions of a name, oldest first; undefined when there are none. */
    readonly versions: (
      tenant: TenantId,
      name: string,
      version?: number
    ) => Effect.Effect<ReadonlyArray<StoredVersion>, StorageUnreachable>
    /** The latest version of each name, ordered by name. `json` is a {@link StoredVersion}. */
    readonly list: (tenant: TenantId, span: ListSpan) => Stream.Stream<ListRow, StorageUnreachable>
    /**
     * Removes one version, or all. Returns the hashes of blobs that may now be unused, or undefined when there was no
     * such version.
     */
    readonly remove: (
      tenant: TenantId,
      name: string,
      version?: number
    ) => Effect.Effect<ReadonlyArray<string> | undefined, StorageUnreachable>
    /** Which of the given blobs a version refers to. */
    readonly references: (
      tenant: TenantId,
      sha256s: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<string>, StorageUnreachable>
  }
>()("flow/resources/ResourceStore") {}

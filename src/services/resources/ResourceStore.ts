import { Context, type Effect, type Stream } from "effect"
import type { StorageUnreachable } from "../../errors/StorageUnreachable.ts"
import type { Quota, Usage } from "../blobs/Quota.ts"
import type { ListRow, ListSpan } from "../shared/Listing.ts"

/** A version of a stored resource as it is kept. Its bytes are a blob, or a file in the tenant's data area. */
export interface StoredVersion {
  readonly name: string
  readonly version: number
  readonly place: { readonly sha256: string } | { readonly path: string }
  /** Bytes. */
  readonly size: number
  /** Whether the metadata holds the bytes. */
  readonly embedded: boolean
  readonly properties?: Readonly<Record<string, unknown>>
  readonly encoding?: string
  readonly compression?: string
  /** ISO 8601 UTC with milliseconds. */
  readonly createdAt: string
}

export interface Registration extends Omit<StoredVersion, "version" | "createdAt" | "embedded" | "place"> {
  readonly path: string
  /** By default the next one. */
  readonly version?: number
}

/** What became of versions that were to be made. */
export type Made =
  | { readonly _tag: "Made"; readonly versions: ReadonlyArray<StoredVersion> }
  | { readonly _tag: "Missing" }
  | { readonly _tag: "Exists"; readonly versions: ReadonlyArray<number> }
  | { readonly _tag: "Over"; readonly usage: Usage }

export interface Transfer {
  readonly from: string
  readonly to: string
  /** By default all. */
  readonly version?: number
  readonly embedded: boolean
  /** Whether the versions leave their old name. */
  readonly isMove: boolean
}

/** Named versions of stored resources. Every method sees those of one tenant only. */
export class ResourceStore extends Context.Service<
  ResourceStore,
  {
    /** Copies or moves versions, all that are asked for or none. No bytes move. */
    readonly transfer: (tenant: string, transfer: Transfer, quota: Quota) => Effect.Effect<Made, StorageUnreachable>
    readonly register: (tenant: string, registration: Registration) => Effect.Effect<Made, StorageUnreachable>
    /** The versions of a name, oldest first; nothing when there are none. */
    readonly versions: (
      tenant: string,
      name: string,
      version?: number
    ) => Effect.Effect<ReadonlyArray<StoredVersion>, StorageUnreachable>
    /** The latest version of each name, by name: `json` is a {@link StoredVersion}. */
    readonly list: (tenant: string, span: ListSpan) => Stream.Stream<ListRow, StorageUnreachable>
    /** Removes a version, or all. Gives the blobs that may be free now; nothing when there was no such version. */
    readonly remove: (
      tenant: string,
      name: string,
      version?: number
    ) => Effect.Effect<ReadonlyArray<string> | undefined, StorageUnreachable>
    /** Which of the blobs a version refers to. */
    readonly references: (
      tenant: string,
      sha256s: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<string>, StorageUnreachable>
  }
>()("flow/resources/ResourceStore") {}

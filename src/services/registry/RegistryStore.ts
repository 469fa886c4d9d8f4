import { Context, type Effect, type Stream } from "effect"
import type { Blob } from "../../drivers/blobs/Blobs.ts"
import type { StorageUnreachable } from "../../errors/StorageUnreachable.ts"
import type { Quota, Usage } from "../blobs/Quota.ts"
import type { ListRow, ListSpan } from "../shared/reads/Listing.ts"
import type { TenantId } from "../shared/Tenant.ts"

/** A version of a path. */
export interface RegistryVersion extends Blob {
  readonly path: string
  readonly version: number
  /** ISO 8601 UTC with milliseconds. */
  readonly createdAt: string
}

/** A row of the list. Its JSON is `{name, updateTime, creationTime, version}`. */
export interface RegistryRow extends ListRow {
  readonly sha256: string
}

/** The outcome of storing a file under a path. */
export type Kept =
  /** `before` is the SHA-256 of the version that was the latest. */
  | { readonly _tag: "Kept"; readonly version: number; readonly before: string | undefined }
  /** The path is a folder of other files, or one of its parent paths is a file. */
  | { readonly _tag: "Blocked"; readonly detail: string }
  /** The path is not in the expected state. */
  | { readonly _tag: "Unexpected" }
  | { readonly _tag: "Over"; readonly usage: Usage }

/**
 * The required state of a path: any, new, or with a latest version whose hash is one of these (any hash when
 * undefined).
 */
export type Expected =
  | { readonly _tag: "Anything" }
  | { readonly _tag: "New" }
  | { readonly _tag: "Latest"; readonly sha256s: ReadonlyArray<string> | undefined }

/** Whether a path is in the expected state. `latest` is the hash of its latest version, undefined for a new path. */
export const isExpected = (expected: Expected, latest: string | undefined): boolean => {
  if (expected._tag === "Anything") return true
  if (expected._tag === "New") return latest === undefined
  return latest !== undefined && (expected.sha256s === undefined || expected.sha256s.includes(latest))
}

/**
 * The metadata of files by path, in versions; their bytes are blobs. Every method sees the files of one tenant only.
 */
export class RegistryStore extends Context.Service<
  RegistryStore,
  {
    /** Adds a stored blob as the next version of the path, if the path is in the expected state. */
    readonly put: (
      tenant: TenantId,
      path: string,
      blob: Blob,
      expected: Expected,
      quota: Quota
    ) => Effect.Effect<Kept, StorageUnreachable>
    /** A version, the latest by default. */
    readonly get: (
      tenant: TenantId,
      path: string,
      version?: number
    ) => Effect.Effect<RegistryVersion | undefined, StorageUnreachable>
    /**
     * Deletes a version, or all versions of the path. Returns the hashes of their blobs, or undefined when there is no
     * such version, or it (else the latest one) has another hash than `seen`.
     */
    readonly remove: (
      tenant: TenantId,
      path: string,
      version?: number,
      seen?: string
    ) => Effect.Effect<ReadonlyArray<string> | undefined, StorageUnreachable>
    /** The latest version of each path, ordered by path. */
    readonly list: (tenant: TenantId, span: ListSpan) => Stream.Stream<RegistryRow, StorageUnreachable>
    /** Which of the given blobs a version refers to. */
    readonly references: (
      tenant: TenantId,
      sha256s: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<string>, StorageUnreachable>
  }
>()("flow/registry/RegistryStore") {}

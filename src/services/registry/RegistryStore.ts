import { Context, type Effect, type Stream } from "effect"
import type { Blob } from "../../drivers/blobs/Blobs.ts"
import type { StorageUnreachable } from "../../errors/StorageUnreachable.ts"
import type { Quota, Usage } from "../blobs/Quota.ts"
import type { ListRow, ListSpan } from "../shared/Listing.ts"

/** A version of a path. */
export interface RegistryVersion extends Blob {
  readonly path: string
  readonly version: number
  /** ISO 8601 UTC with milliseconds. */
  readonly createdAt: string
}

/** A row of the list: its JSON is `{name, updateTime, creationTime, version}`. */
export interface RegistryRow extends ListRow {
  readonly sha256: string
}

/** What became of a file that was to be stored under a path. */
export type Kept =
  | { readonly _tag: "Kept"; readonly version: number }
  /** The path is a folder of others, or has a file as a folder. */
  | { readonly _tag: "Blocked"; readonly detail: string }
  /** The path is not in the state that was asked for. */
  | { readonly _tag: "Unexpected" }
  | { readonly _tag: "Over"; readonly usage: Usage }

/**
 * What a path has to be: anything, new, or one whose latest version has one of these hashes (any, when there are none).
 */
export type Expected =
  | { readonly _tag: "Anything" }
  | { readonly _tag: "New" }
  | { readonly _tag: "Latest"; readonly sha256s: ReadonlyArray<string> | undefined }

/** Whether a path whose latest version has this hash, or that is new without one, is as expected. */
export const isExpected = (expected: Expected, latest: string | undefined): boolean => {
  if (expected._tag === "Anything") return true
  if (expected._tag === "New") return latest === undefined
  return latest !== undefined && (expected.sha256s === undefined || expected.sha256s.includes(latest))
}

/** Files by their path, in versions. Their bytes are blobs. Every method sees those of one tenant only. */
export class RegistryStore extends Context.Service<
  RegistryStore,
  {
    /** Makes a stored blob the next version of the path, if the path is as expected. */
    readonly put: (
      tenant: string,
      path: string,
      blob: Blob,
      expected: Expected,
      quota: Quota
    ) => Effect.Effect<Kept, StorageUnreachable>
    /** A version, by default the latest. */
    readonly get: (
      tenant: string,
      path: string,
      version?: number
    ) => Effect.Effect<RegistryVersion | undefined, StorageUnreachable>
    /** The latest version of each path, by path. */
    readonly list: (tenant: string, span: ListSpan) => Stream.Stream<RegistryRow, StorageUnreachable>
    /** Which of the blobs a version refers to. */
    readonly references: (
      tenant: string,
      sha256s: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<string>, StorageUnreachable>
  }
>()("flow/registry/RegistryStore") {}

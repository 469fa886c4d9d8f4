import { Context, type Effect, type Stream } from "effect"
import type { StorageUnreachable } from "../../errors/StorageUnreachable.ts"
import type { Blob } from "../blobs/Blobs.ts"
import type { Quota, Usage } from "../blobs/Quota.ts"
import type { ListRow, ListSpan } from "../shared/Paging.ts"

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
  /** It was to be a new path, and is none. */
  | { readonly _tag: "Exists" }
  | { readonly _tag: "Over"; readonly usage: Usage }

/** Files by their path, in versions. Their bytes are blobs. Every method sees those of one tenant only. */
export class RegistryStore extends Context.Service<
  RegistryStore,
  {
    /** Makes a stored blob the next version of the path, or its first when it has to be new. */
    readonly put: (
      tenant: string,
      path: string,
      blob: Blob,
      isNew: boolean,
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

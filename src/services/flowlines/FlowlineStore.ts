import { Context, type Effect, type Stream } from "effect"
import type { StorageUnreachable } from "../../errors/StorageUnreachable.ts"
import type { OverQuota, Quota } from "../blobs/Quota.ts"
import type { FlowlineId } from "../shared/FlowlineId.ts"
import type { ListRow, ListSpan } from "../shared/reads/Listing.ts"
import type { TenantId } from "../shared/Tenant.ts"
import type { FlowlineFile } from "./FlowlineFile.ts"

/** One immutable version of a flowline. `dag` is the definition as JSON text, `savedAt` ISO 8601 UTC. */
export interface FlowlineVersion {
  readonly id: FlowlineId
  readonly version: number
  readonly dag: string
  readonly platformId: string
  readonly savedAt: string
}

export interface NewVersion {
  readonly id: FlowlineId
  readonly dag: string
  readonly platformId: string
  /** The file as it was sent; absent when the definition was not sent as a file. */
  readonly file?: FlowlineFile
  /** The version that this one restores. */
  readonly restored?: number
}

/** A version with all that is stored of it. */
export interface FullVersion extends FlowlineVersion {
  /** The number of the flowline's current version. */
  readonly current: number
  /** The file as it was sent; absent for versions that were saved before files were kept. */
  readonly file: FlowlineFile | undefined
  readonly restored: number | undefined
}

/**
 * How a flowline is kept. `saved`: it is listed, and its versions count for the tenant's limits. `once`: it can be read
 * and run by its id while it has executions.
 */
export type FlowlineKind = "saved" | "once"

/** The outcome of an attempt to add a version. */
export type Revision =
  /** `before` is the SHA-256 of the definition that it replaces, in hex. */
  | { readonly _tag: "Saved"; readonly version: number; readonly before: string | undefined }
  | { readonly _tag: "Missing" }
  | { readonly _tag: "Changed" }

/** The storage of flowlines. Every method covers one tenant only. */
export class FlowlineStore extends Context.Service<
  FlowlineStore,
  {
    /** Adds a flowline with version 1, unless the versions of the tenant exceed the quota then. */
    readonly create: (
      tenant: TenantId,
      flowline: NewVersion,
      keeping: FlowlineKind,
      quota?: Quota
    ) => Effect.Effect<FlowlineVersion, OverQuota | StorageUnreachable>
    /** Adds the next version of a saved flowline; with `expected`, only if one of these is its current version. */
    readonly revise: (
      tenant: TenantId,
      flowline: NewVersion,
      expected: ReadonlyArray<number> | undefined,
      quota?: Quota
    ) => Effect.Effect<Revision, OverQuota | StorageUnreachable>
    /** A version of a flowline, by default its current one. */
    readonly get: (
      tenant: TenantId,
      id: FlowlineId,
      version?: number
    ) => Effect.Effect<FlowlineVersion | undefined, StorageUnreachable>
    /** A version of a saved flowline with its file. */
    readonly full: (
      tenant: TenantId,
      id: FlowlineId,
      version: number
    ) => Effect.Effect<FullVersion | undefined, StorageUnreachable>
    /** The versions of a saved flowline as JSON of `FlowlineVersionEntry`, newest first. Keys are their numbers. */
    readonly versions: (tenant: TenantId, id: FlowlineId, span: ListSpan) => Stream.Stream<ListRow, StorageUnreachable>
    /** Whether a saved flowline has this id. */
    readonly isSaved: (tenant: TenantId, id: FlowlineId) => Effect.Effect<boolean, StorageUnreachable>
    /** The current versions of the saved flowlines as entries of endpoint 13, in the order of their first saving. */
    readonly list: (tenant: TenantId, span: ListSpan) => Stream.Stream<ListRow, StorageUnreachable>
    /**
     * Removes a flowline; with `seen`, only if that is its current version. The versions that its executions ran stay
     * as long as these. Returns the SHA-256 of its current definition in hex, or undefined when it does not exist.
     */
    readonly remove: (
      tenant: TenantId,
      id: FlowlineId,
      seen?: number
    ) => Effect.Effect<string | undefined, StorageUnreachable>
  }
>()("flow/flowlines/FlowlineStore") {}

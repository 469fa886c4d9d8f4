import { Context, type Effect, type Stream } from "effect"
import type { StorageUnreachable } from "../../errors/StorageUnreachable.ts"
import type { FlowlineId } from "../shared/FlowlineId.ts"
import type { ListRow, ListSpan } from "../shared/Listing.ts"
import type { TenantId } from "../shared/Tenant.ts"

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
}

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
    /** Adds a flowline with version 1. A flowline that is not `saved` can be run but is not found by its id. */
    readonly create: (
      tenant: TenantId,
      flowline: NewVersion,
      saved: boolean
    ) => Effect.Effect<FlowlineVersion, StorageUnreachable>
    /** Adds the next version of a saved flowline; with `expected`, only if one of these is its current version. */
    readonly revise: (
      tenant: TenantId,
      flowline: NewVersion,
      expected: ReadonlyArray<number> | undefined
    ) => Effect.Effect<Revision, StorageUnreachable>
    /** A version of a saved flowline, by default its current one. */
    readonly get: (
      tenant: TenantId,
      id: FlowlineId,
      version?: number
    ) => Effect.Effect<FlowlineVersion | undefined, StorageUnreachable>
    /** Whether a saved flowline has this id. */
    readonly isSaved: (tenant: TenantId, id: FlowlineId) => Effect.Effect<boolean, StorageUnreachable>
    /** The current versions of the saved flowlines as entries of endpoint 13, in the order of their first saving. */
    readonly list: (tenant: TenantId, span: ListSpan) => Stream.Stream<ListRow, StorageUnreachable>
    /**
     * Removes a saved flowline. What its executions ran stays as long as they do. Returns the SHA-256 of its current
     * definition in hex, or undefined when it does not exist.
     */
    readonly remove: (tenant: TenantId, id: FlowlineId) => Effect.Effect<string | undefined, StorageUnreachable>
  }
>()("flow/flowlines/FlowlineStore") {}

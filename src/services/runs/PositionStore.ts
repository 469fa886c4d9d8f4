import { Brand, Context, type Effect } from "effect"
import type { StorageUnreachable } from "../../errors/StorageUnreachable.ts"
import type { FlowlineId } from "../shared/FlowlineId.ts"
import type { TenantId } from "../shared/Tenant.ts"

/** The key of stored positions: an execution, a job or a saved flowline. It outlives a run. */
export type PositionScope = Brand.Branded<string, "PositionScope">
export const PositionScope = Brand.nominal<PositionScope>()

/** The key of what nodes of a saved flowline leave to its next execution. */
export const flowlineScope = (id: FlowlineId): PositionScope => PositionScope(`flowlines/${id}`)

/** The scope as messages name it: `the job channels/web/main/parse`, `the execution 4kQz-1763683200000`. */
export const holderName = (scope: PositionScope): string => `the ${scope.includes("/") ? "job" : "execution"} ${scope}`

/** The key of an attempt. Writes with an older epoch than the current one are refused. */
export interface AttemptKey {
  readonly tenant: TenantId
  readonly id: string
  readonly epoch: number
}

/** What a run has done, to be kept in one piece: a later attempt goes on at all of it. Values are JSON. */
export interface Progress {
  /** By component. */
  readonly positions: Readonly<Record<string, unknown>>
  /** How much of the files that the run appends to belongs to the positions, by path; null when nothing may be cut. */
  readonly files: Readonly<Record<string, unknown>>
}

/** A file that a run wants to append to: its saved place, or the scope that it belongs to while that is under way. */
export type FileClaim =
  | { readonly path: string; readonly place: unknown }
  | { readonly path: string; readonly holder: PositionScope }

/** The positions of inputs, by scope and component. Values are JSON. */
export class PositionStore extends Context.Service<
  PositionStore,
  {
    /** The positions of a scope, by component. */
    readonly load: (
      tenant: TenantId,
      scope: PositionScope
    ) => Effect.Effect<Readonly<Record<string, unknown>>, StorageUnreachable>
    /** Stores a position. Returns false and stores nothing if a newer attempt exists or the execution has ended. */
    readonly save: (
      attempt: AttemptKey,
      scope: PositionScope,
      progress: Progress
    ) => Effect.Effect<boolean, StorageUnreachable>
    /**
     * Makes the files the scope's own, unless they belong to another one that is under way. Answers undefined when a
     * newer attempt exists.
     */
    readonly claimFiles: (
      attempt: AttemptKey,
      scope: PositionScope,
      paths: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<FileClaim> | undefined, StorageUnreachable>
    /** Removes all positions of the scope, and leaves its files to others. */
    readonly remove: (tenant: TenantId, scope: PositionScope) => Effect.Effect<void, StorageUnreachable>
  }
>()("flow/runs/PositionStore") {}

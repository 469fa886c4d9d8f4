import { Brand, Context, type Effect } from "effect"
import type { StorageUnreachable } from "../../errors/StorageUnreachable.ts"
import type { TenantId } from "../shared/Tenant.ts"

/** The key of stored positions: an execution or a job. It outlives a run. */
export type PositionScope = Brand.Branded<string, "PositionScope">
export const PositionScope = Brand.nominal<PositionScope>()

/** The key of an attempt. Writes with an older epoch than the current one are refused. */
export interface AttemptKey {
  readonly tenant: TenantId
  readonly id: string
  readonly epoch: number
}

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
      component: string,
      value: unknown
    ) => Effect.Effect<boolean, StorageUnreachable>
    /** Removes all positions of the scope. */
    readonly remove: (tenant: TenantId, scope: PositionScope) => Effect.Effect<void, StorageUnreachable>
  }
>()("flow/runs/PositionStore") {}

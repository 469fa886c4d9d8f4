import { Brand, Context, type Effect } from "effect"
import type { StorageUnreachable } from "../../errors/StorageUnreachable.ts"
import type { TenantId } from "../shared/Tenant.ts"

/** What positions are kept under: it outlives a run. */
export type PositionScope = Brand.Branded<string, "PositionScope">
export const PositionScope = Brand.nominal<PositionScope>()

/** An attempt of a run: writes that carry an older epoch than the current one are refused. */
export interface AttemptKey {
  readonly tenant: TenantId
  readonly id: string
  readonly epoch: number
}

/** Where inputs stand in what they read, by a scope that outlives a run. Values are JSON. */
export class PositionStore extends Context.Service<
  PositionStore,
  {
    /** By component. */
    readonly load: (
      tenant: TenantId,
      scope: PositionScope
    ) => Effect.Effect<Readonly<Record<string, unknown>>, StorageUnreachable>
    /** Answers false, and keeps nothing, when a newer attempt exists or the execution has ended. */
    readonly save: (
      attempt: AttemptKey,
      scope: PositionScope,
      component: string,
      value: unknown
    ) => Effect.Effect<boolean, StorageUnreachable>
    /** Forgets all positions of the scope. */
    readonly remove: (tenant: TenantId, scope: PositionScope) => Effect.Effect<void, StorageUnreachable>
  }
>()("flow/runs/PositionStore") {}

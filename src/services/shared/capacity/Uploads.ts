import { Context, type Effect, type Scope } from "effect"
import type { LimitExceeded } from "../../../errors/LimitExceeded.ts"
import type { TenantId } from "../Tenant.ts"

/** Counts the uploads of each tenant that are under way in this gateway. */
export class Uploads extends Context.Service<
  Uploads,
  {
    /** Counts an upload until the scope closes, or refuses it. */
    readonly begin: (tenant: TenantId) => Effect.Effect<void, LimitExceeded, Scope.Scope>
    /** How many of its uploads are being received. */
    readonly underWay: (tenant: TenantId) => number
    /** Counts an upload that a limit of its tenant has ended. */
    readonly refused: (tenant: TenantId, limit: string) => Effect.Effect<void>
  }
>()("flow/shared/Uploads") {}

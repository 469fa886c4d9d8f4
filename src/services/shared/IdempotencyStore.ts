import { Context, type Effect } from "effect"
import type { StorageUnreachable } from "../../errors/StorageUnreachable.ts"
import type { TenantId } from "./Tenant.ts"

/** What is known of a key: nothing yet (and now it is taken), the first answer, or a request that is not done. */
export type Begun =
  | { readonly _tag: "New" }
  | { readonly _tag: "Answered"; readonly answer: string }
  | { readonly _tag: "InProgress" }
  | { readonly _tag: "Different" }

/** Keeps the first answers of requests for 24 hours, per tenant and key. */
export class IdempotencyStore extends Context.Service<
  IdempotencyStore,
  {
    readonly begin: (tenant: TenantId, key: string, fingerprint: string) => Effect.Effect<Begun, StorageUnreachable>
    readonly finish: (tenant: TenantId, key: string, answer: string) => Effect.Effect<void, StorageUnreachable>
    /** Gives the key free again: the request failed and may be tried once more. */
    readonly forget: (tenant: TenantId, key: string) => Effect.Effect<void, StorageUnreachable>
  }
>()("flow/http/IdempotencyStore") {}

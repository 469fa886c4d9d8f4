import { Brand, Context, type Effect } from "effect"
import type { StorageUnreachable } from "../../errors/StorageUnreachable.ts"
import type { TenantId } from "./Tenant.ts"

/** The `Idempotency-Key` of a request. */
export type IdempotencyKey = Brand.Branded<string, "IdempotencyKey">
export const IdempotencyKey = Brand.nominal<IdempotencyKey>()

/**
 * The state of a key: it was free and is now taken, it has an answer, its first request is still running, or that
 * request was a different one.
 */
export type Begun =
  | { readonly _tag: "New" }
  | { readonly _tag: "Answered"; readonly answer: string }
  | { readonly _tag: "InProgress" }
  | { readonly _tag: "Different" }

/** Keeps the first answers of requests for 24 hours, per tenant and key. */
export class IdempotencyStore extends Context.Service<
  IdempotencyStore,
  {
    readonly begin: (
      tenant: TenantId,
      key: IdempotencyKey,
      fingerprint: string
    ) => Effect.Effect<Begun, StorageUnreachable>
    readonly finish: (tenant: TenantId, key: IdempotencyKey, answer: string) => Effect.Effect<void, StorageUnreachable>
    /** Releases the key of a failed request, so that it can be retried. */
    readonly forget: (tenant: TenantId, key: IdempotencyKey) => Effect.Effect<void, StorageUnreachable>
  }
>()("flow/http/IdempotencyStore") {}

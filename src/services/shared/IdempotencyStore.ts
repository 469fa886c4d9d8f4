import { Context, type Effect } from "effect"
import type { StorageUnreachable } from "../../errors/StorageUnreachable.ts"

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
    readonly begin: (tenant: string, key: string, fingerprint: string) => Effect.Effect<Begun, StorageUnreachable>
    readonly finish: (tenant: string, key: string, answer: string) => Effect.Effect<void, StorageUnreachable>
    /** Releases the key of a failed request, so that it can be retried. */
    readonly forget: (tenant: string, key: string) => Effect.Effect<void, StorageUnreachable>
  }
>()("flow/http/IdempotencyStore") {}

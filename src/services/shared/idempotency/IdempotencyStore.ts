import { Brand, Context, type Effect } from "effect"
import type { Conflict } from "../../../errors/Conflict.ts"
import type { StorageUnreachable } from "../../../errors/StorageUnreachable.ts"
import type { TenantId } from "../Tenant.ts"

/** The `Idempotency-Key` of a request. */
export type IdempotencyKey = Brand.Branded<string, "IdempotencyKey">
export const IdempotencyKey = Brand.nominal<IdempotencyKey>()

/** The right of one request to do the work of its key. Every try has a token of its own. */
export interface KeyClaim {
  readonly tenant: TenantId
  readonly key: IdempotencyKey
  readonly token: string
}

/**
 * The state of a key: it was free and is now taken, it has an answer, its first request is still running, or that
 * request was a different one.
 */
export type KeyState =
  | { readonly _tag: "New"; readonly claim: KeyClaim }
  | { readonly _tag: "Answered"; readonly answer: string }
  | { readonly _tag: "InProgress" }
  | { readonly _tag: "Different" }

/**
 * How the work of a key ended. `Refused`: nothing was done, and the key is free again. `Unknown`: it may have been
 * done; the key stays with its request, and the next repeat gets the answer or does the work.
 */
export type KeyOutcome = "Answered" | "Refused" | "Unknown"

/**
 * Keeps the first answers of requests for 24 hours, per tenant and key. An answer is there if and only if the work is
 * done, so a key without one whose request no longer runs, on whatever gateway, is free for a repeat.
 */
export class IdempotencyStore extends Context.Service<
  IdempotencyStore,
  {
    readonly begin: (
      tenant: TenantId,
      key: IdempotencyKey,
      fingerprint: string
    ) => Effect.Effect<KeyState, StorageUnreachable>
    /**
     * Makes the writes and the answer to them final, both or neither. `Conflict`: this gateway was taken for dead and
     * a repeat has the key now; nothing was written.
     */
    readonly commit: <A, E, R>(
      claim: KeyClaim,
      writes: Effect.Effect<A, E, R>,
      answerOf: (made: A) => string
    ) => Effect.Effect<A, E | Conflict | StorageUnreachable, R>
    /** The request of the claim no longer runs. Call it for every claim. */
    readonly end: (claim: KeyClaim, outcome: KeyOutcome) => Effect.Effect<void, StorageUnreachable>
  }
>()("flow/http/IdempotencyStore") {}

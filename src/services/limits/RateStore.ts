import { Context, type Effect } from "effect"
import type { StorageUnreachable } from "../../errors/StorageUnreachable.ts"
import type { Rate } from "./Limits.ts"

/** A bucket of tokens: of a tenant (principal ""), or of a principal within a tenant ("" outside of tenants). */
export interface BucketKey {
  readonly tenant: string
  readonly principal: string
}

/** Tokens that were taken from a bucket. */
export interface Lease {
  /** Tokens that this gateway may hand out: a whole number, less than asked for when the bucket has no more. */
  readonly granted: number
  /** Tokens that are left in the bucket. */
  readonly left: number
  /** Number of gateways that share the bucket. */
  readonly gateways: number
}

/** The buckets that all gateways share. A bucket that was never used is full. */
export class RateStore extends Context.Service<
  RateStore,
  {
    readonly lease: (key: BucketKey, rate: Rate, tokens: number) => Effect.Effect<Lease, StorageUnreachable>
    /** Removes buckets that nobody has used for a day: they are full again. */
    readonly sweep: Effect.Effect<void, StorageUnreachable>
  }
>()("flow/limits/RateStore") {}

import { Context, type Effect, type Redacted } from "effect"
import type { NoSecretKey } from "../../errors/NoSecretKey.ts"
import type { StorageUnreachable } from "../../errors/StorageUnreachable.ts"
import type { TenantId } from "../shared/Tenant.ts"
import type { UnusableSecret } from "./SecretSource.ts"

/** What is known of a stored secret besides its value. */
export interface StoredSecret {
  readonly name: string
  readonly keyId: string
  /** ISO 8601. */
  readonly updatedAt: string
  /** The principal that set it. */
  readonly setBy: string
}

/** How the stored secrets are encrypted: with the first key, with another one, with one that the gateway has not. */
export type KeyUse = "current" | "old" | "missing"

/** Which states of a secret a request may change. */
export interface Changeable {
  /** Whether there may be a secret of this name, whose value is replaced or removed. */
  readonly present: boolean
  /** Whether there may be none, so that a new one is made. */
  readonly absent: boolean
}
export const anyState: Changeable = { present: true, absent: true }

/** The tenants' secrets, encrypted with keys that only the gateways have. */
export class SecretStore extends Context.Service<
  SecretStore,
  {
    /**
     * Stores the value in place of an earlier one. `full`: the tenant has `most` secrets already. `excluded`: what is there
     * may not be changed.
     */
    readonly put: (
      tenant: TenantId,
      name: string,
      value: Redacted.Redacted<string>,
      by: string,
      most: number,
      state?: Changeable
    ) => Effect.Effect<"stored" | "full" | "excluded", NoSecretKey | StorageUnreachable>
    /** False when there is none. */
    readonly remove: (tenant: TenantId, name: string) => Effect.Effect<boolean, StorageUnreachable>
    readonly read: (
      tenant: TenantId,
      name: string
    ) => Effect.Effect<Redacted.Redacted<string> | undefined, UnusableSecret | StorageUnreachable>
    /** Ordered by name. */
    readonly list: (tenant: TenantId) => Effect.Effect<ReadonlyArray<StoredSecret>, StorageUnreachable>
    /**
     * Encrypts all secrets of other keys with the first one, in batches. Rows that somebody changes meanwhile, and those
     * that cannot be decrypted, are left.
     */
    readonly rotate: Effect.Effect<void, StorageUnreachable>
    /** How many stored secrets of all tenants have which key. */
    readonly keyUse: Effect.Effect<ReadonlyMap<KeyUse, number>, StorageUnreachable>
  }
>()("flow/secrets/SecretStore") {}

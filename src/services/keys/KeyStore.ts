import { Context, type Effect, type Stream } from "effect"
import type { StorageUnreachable } from "../../errors/StorageUnreachable.ts"
import type { ListRow, ListSpan } from "../shared/reads/Listing.ts"
import type { Role } from "../shared/security/Principal.ts"
import type { TenantId } from "../shared/Tenant.ts"
import type { KeyId } from "./ApiKey.ts"

/** What is stored of a key besides its times. */
interface KeyRecord {
  readonly id: KeyId
  readonly tenant: TenantId
  /** SHA-256 of the key's text. */
  readonly sha256: Uint8Array
  readonly role: Role
  readonly owner: string
  /** In epoch milliseconds. */
  readonly expiresAt: number | undefined
}

export interface NewKey extends KeyRecord {
  readonly name: string
  readonly parent: KeyId | undefined
}

export interface StoredKey extends KeyRecord {
  readonly isRevoked: boolean
  /** In epoch milliseconds. */
  readonly lastUsedAt: number | undefined
}

/**
 * What became of a new key. `IdTaken`: another key has this id. `ParentEnded`: the key with which it was to be made is
 * revoked or over. `Full`: the tenant has so many valid keys already.
 */
export type AddResult =
  | { readonly _tag: "Added"; readonly createdAt: string }
  | { readonly _tag: "IdTaken" | "ParentEnded" }
  | { readonly _tag: "Full"; readonly used: number }

/** The result of revoking keys. `Before`: they were revoked already, so nothing has changed. */
type RevokeResult = "Now" | "Before" | "Absent"

/** Days for which keys that have ended stay in the list. */
export const endedDays = 90

/** Milliseconds between two writes of a key's last use. */
export const useInterval = 60_000

/** The API keys of tenants. */
export class KeyStore extends Context.Service<
  KeyStore,
  {
    /** Stores a key, unless the tenant has `most` valid ones. Deletes keys of the tenant that ended long ago. */
    readonly add: (key: NewKey, most: number) => Effect.Effect<AddResult, StorageUnreachable>
    /** Those of the keys that exist. */
    readonly find: (ids: ReadonlyArray<KeyId>) => Effect.Effect<ReadonlyArray<StoredKey>, StorageUnreachable>
    /** The keys as JSON of `ApiKey`, in creation order. */
    readonly list: (tenant: TenantId, span: ListSpan) => Stream.Stream<ListRow, StorageUnreachable>
    /** Revokes a key and all keys that were made with it. */
    readonly revoke: (tenant: TenantId, id: KeyId) => Effect.Effect<RevokeResult, StorageUnreachable>
    /** Notes that the keys are used now, unless their last use is younger than a minute. */
    readonly used: (ids: ReadonlyArray<KeyId>) => Effect.Effect<void, StorageUnreachable>
  }
>()("flow/keys/KeyStore") {}

import { Context, type Effect } from "effect"
import type { StorageUnreachable } from "../../errors/StorageUnreachable.ts"
import type { TenantId } from "../shared/Tenant.ts"

/** A blob by its tenant and its SHA-256 in lower-case hex. */
export interface BlobName {
  readonly tenant: TenantId
  readonly sha256: string
}

/** A blob that nothing refers to and that waits for its removal. */
export interface UnusedBlob {
  readonly sha256: string
  /** When it was found to be unused, in epoch milliseconds. */
  readonly since: number
  /** Whether a deletion in this database has freed it; else a sweep found it without any row. */
  readonly deleted: boolean
}

/** How far the check of all blobs has come. */
export interface CheckPlace {
  /** The last checked blob, in the order of tenants and hashes; empty texts at the beginning of a round. */
  readonly tenant: string
  readonly sha256: string
  /** In epoch milliseconds. */
  readonly roundBeganAt: number
  readonly roundEnded: boolean
}

/** What the database knows of the blobs, beside the rows that refer to them. */
export class BlobLedger extends Context.Service<
  BlobLedger,
  {
    /** The id of this installation, which the storage of its blobs has too. */
    readonly installation: Effect.Effect<string, StorageUnreachable>
    /** Some of the blobs that rows refer to: none only when no row refers to any. */
    readonly sample: Effect.Effect<ReadonlyArray<BlobName>, StorageUnreachable>
    readonly unused: (tenant: TenantId) => Effect.Effect<ReadonlyArray<UnusedBlob>, StorageUnreachable>
    /** Notes blobs as unused, in place of what was noted of them before. */
    readonly noteUnused: (tenant: TenantId, blobs: ReadonlyArray<UnusedBlob>) => Effect.Effect<void, StorageUnreachable>
    readonly forgetUnused: (tenant: TenantId, sha256s: ReadonlyArray<string>) => Effect.Effect<void, StorageUnreachable>
    readonly damaged: Effect.Effect<ReadonlyArray<BlobName>, StorageUnreachable>
    readonly noteDamaged: (blob: BlobName) => Effect.Effect<void, StorageUnreachable>
    readonly forgetDamaged: (blob: BlobName) => Effect.Effect<void, StorageUnreachable>
    /**
     * Takes the check of all blobs for some seconds and returns its place, or `undefined` while another gateway has it.
     * Taking it again extends the time.
     */
    readonly takeCheck: (gateway: string, seconds: number) => Effect.Effect<CheckPlace | undefined, StorageUnreachable>
    /** Moves the place of the check, which this gateway has taken. `gateway` is any text of its own. */
    readonly moveCheck: (gateway: string, place: CheckPlace) => Effect.Effect<void, StorageUnreachable>
  }
>()("flow/blobs/BlobLedger") {}

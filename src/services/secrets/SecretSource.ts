import { Data, type Effect, type Redacted } from "effect"
import type { StorageUnreachable } from "../../errors/StorageUnreachable.ts"
import type { TenantId } from "../shared/Tenant.ts"

/** A secret exists and cannot be used. The message names the cause and the cure, never a value. */
export class UnusableSecret extends Data.TaggedError("UnusableSecret")<{ readonly detail: string }> {}

/** Where values of secrets come from. */
export interface SecretSource {
  /** Where it is, for messages: `in the folder …`. */
  readonly where: (tenant: TenantId) => string
  readonly names: (tenant: TenantId) => Effect.Effect<ReadonlyArray<string>, StorageUnreachable>
  /** Undefined when the source does not have the secret. */
  readonly read: (
    tenant: TenantId,
    name: string
  ) => Effect.Effect<Redacted.Redacted<string> | undefined, UnusableSecret | StorageUnreachable>
}

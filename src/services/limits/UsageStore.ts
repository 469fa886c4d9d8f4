import { Context, type Effect } from "effect"
import type { StorageUnreachable } from "../../errors/StorageUnreachable.ts"
import type { TenantId } from "../shared/Tenant.ts"

/** What the database has counted of a tenant. */
export interface StoredUsage {
  readonly waitingExecutions: number
  readonly jobs: number
  readonly archives: number
  readonly archiveBytes: number
  readonly storedVersions: number
  readonly storedBytes: number
}

export interface FileUsage {
  readonly dataFiles: number
  readonly dataBytes: number
}

/** What tenants use of what is limited. */
export class UsageStore extends Context.Service<
  UsageStore,
  { readonly of: (tenant: TenantId) => Effect.Effect<StoredUsage, StorageUnreachable> }
>()("flow/limits/UsageStore") {}

/**
 * Measures the data areas. A measurement is reused for as long as a multiple of the time that it took, so that large
 * areas are not walked all the time.
 */
export class FileMeter extends Context.Service<
  FileMeter,
  { readonly of: (tenant: TenantId) => Effect.Effect<FileUsage, StorageUnreachable> }
>()("flow/limits/FileMeter") {}

import { Data } from "effect"
import { TooLarge } from "../../errors/TooLarge.ts"
import { TooMany } from "../../errors/TooMany.ts"
import type { Limits } from "../limits/Limits.ts"
import type { TenantId } from "../shared/Tenant.ts"

/** The storage limits of a tenant; an undefined member means no limit. */
export interface Quota {
  /** Total bytes of all versions. Equal contents count each time. */
  readonly bytes: number | undefined
  /** Number of versions of artifacts, stored resources, registry entries and saved flowlines. */
  readonly entries: number | undefined
}

/** The storage limits of a tenant. */
export const quotaOf = ({ storedBytes, storedVersions }: Limits): Quota => ({
  bytes: storedBytes.value,
  entries: storedVersions.value
})

/** A limit in bytes and the name of its setting. */
export interface Most {
  readonly limit: number
  readonly limitName: string
  /** Whose limit it is. */
  readonly key: string
}

/** The maximum size of one file: no file can be larger than the tenant's whole quota. */
export const mostOf = (tenant: TenantId, { bytes }: Quota): Most | undefined =>
  bytes === undefined ? undefined : { limit: bytes, limitName: "storedBytes", key: `tenant:${tenant}` }

/** The current usage of a tenant. */
export interface Usage {
  readonly bytes: number
  readonly entries: number
}

/** The tenant would exceed its quota: nothing was stored. */
export class OverQuota extends Data.TaggedError("OverQuota")<{ readonly usage: Usage }> {}

/** Whether the usage exceeds the quota. */
export const isOver = (usage: Usage, quota: Quota): boolean =>
  (quota.bytes !== undefined && usage.bytes > quota.bytes) ||
  (quota.entries !== undefined && usage.entries > quota.entries)

/** The problem for a usage that exceeds the quota: 429 for too many versions, 413 for too many bytes. */
export const overQuota = (tenant: TenantId, usage: Usage, quota: Quota): TooLarge | TooMany => {
  const key = `tenant:${tenant}`
  return quota.entries !== undefined && usage.entries > quota.entries
    ? new TooMany({ limit: "storedVersions", value: quota.entries, used: usage.entries, key, tenant })
    : new TooLarge({ limit: "storedBytes", value: quota.bytes ?? 0, used: usage.bytes, key })
}

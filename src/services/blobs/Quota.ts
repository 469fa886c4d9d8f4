import { TooLarge } from "../../errors/TooLarge.ts"
import { TooMany } from "../../errors/TooMany.ts"

/** What a tenant may store, in all; without a limit where there is none. */
export interface Quota {
  /** Bytes of all versions, equal ones counted each time. */
  readonly bytes: number | undefined
  /** Versions of artifacts, stored resources and registry entries. */
  readonly entries: number | undefined
}

/** A limit of bytes, and what it is called. */
export interface Most {
  readonly limit: number
  readonly limitName: string
}

/** The most bytes that one file can have: no tenant can store more, whatever it has stored already. */
export const mostOf = ({ bytes }: Quota): Most | undefined =>
  bytes === undefined ? undefined : { limit: bytes, limitName: "tenantBytes" }

/** What a tenant has stored. */
export interface Usage {
  readonly bytes: number
  readonly entries: number
}

/** Whether the usage is beyond the quota. */
export const isOver = (usage: Usage, quota: Quota): boolean =>
  (quota.bytes !== undefined && usage.bytes > quota.bytes) ||
  (quota.entries !== undefined && usage.entries > quota.entries)

/** The problem of a usage that is beyond the quota: 429 for too many, 413 for too large. */
export const overQuota = (tenant: string, usage: Usage, quota: Quota): TooLarge | TooMany =>
  quota.entries !== undefined && usage.entries > quota.entries
    ? new TooMany({ limit: "tenantEntries", value: quota.entries, tenant })
    : new TooLarge({ limit: "tenantBytes", value: quota.bytes ?? 0 })

import { Context, type Effect } from "effect"
import type { StorageUnreachable } from "../../errors/StorageUnreachable.ts"
import type { Rule } from "../shared/settings/RetentionRules.ts"
import type { TenantId } from "../shared/Tenant.ts"

/** Rows that were deleted, or would be. */
export interface RemovedRows {
  readonly number: number
  /** Of output and archives: their size. Of versions: the size of their contents. */
  readonly bytes: number
  /** Hashes of the blobs that the rows referred to. Others may refer to them as well. */
  readonly blobs: ReadonlyArray<string>
}

/** What was deleted of a page of names. `next` is the last name of the page, undefined at the end. */
export interface Page extends RemovedRows {
  readonly next: string | undefined
}

/** Tables of versions, each with its names. */
export const versioned = ["flowlines", "artifacts", "resources", "registry"] as const
export type VersionedKind = (typeof versioned)[number]

/** Deletes old history of a tenant in small steps. Each step is a transaction of its own. */
export class RetentionStore extends Context.Service<
  RetentionStore,
  {
    /** Deletes the oldest of what the rule no longer keeps: a few hundred rows; none when the rule is met. */
    readonly history: (
      tenant: TenantId,
      kind: "executions" | "archives",
      rule: Rule
    ) => Effect.Effect<RemovedRows, StorageUnreachable>
    /** Counts what `history` would delete in all its steps. */
    readonly due: (
      tenant: TenantId,
      kind: "executions" | "archives",
      rule: Rule
    ) => Effect.Effect<RemovedRows, StorageUnreachable>
    /**
     * Deletes flowlines that are not saved and have no execution, `since` a time in epoch milliseconds at which they
     * stopped being saved. One-shot flowlines never were.
     */
    readonly unused: (tenant: TenantId, since: number) => Effect.Effect<RemovedRows, StorageUnreachable>
    /** Deletes superseded versions that the rule no longer keeps, of the next names. With `dryRun` it counts them. */
    readonly superseded: (
      tenant: TenantId,
      kind: VersionedKind,
      rule: Rule,
      after: string,
      dryRun: boolean
    ) => Effect.Effect<Page, StorageUnreachable>
  }
>()("flow/retention/RetentionStore") {}

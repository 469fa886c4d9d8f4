import { Context, type Effect } from "effect"
import type { StorageUnreachable } from "../../errors/StorageUnreachable.ts"
import type { TenantId } from "../shared/Tenant.ts"
import type { FoundFile } from "./ScheduleStore.ts"

/** Files that a schedule watches at most. */
export const mostWatched = 10_000

/** The folders of tenants in which schedules look for files. */
export class TenantFolders extends Context.Service<
  TenantFolders,
  {
    /** The files that match a path or glob, or why they cannot be watched. */
    readonly files: (
      tenant: TenantId,
      path: string
    ) => Effect.Effect<ReadonlyArray<FoundFile> | string, StorageUnreachable>
  }
>()("flow/schedules/TenantFolders") {}

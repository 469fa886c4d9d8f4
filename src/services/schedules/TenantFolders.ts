import { Context, type Effect } from "effect"
import type { StorageUnreachable } from "../../errors/StorageUnreachable.ts"
import type { TenantId } from "../shared/Tenant.ts"
import type { FoundFile } from "./ScheduleStore.ts"

/** Files that a schedule watches at most. */
export const mostWatched = 10_000

/** The files that were found, and what could not be looked at. Without `files`, nothing is known of any file. */
export type Look =
  | { readonly files: ReadonlyArray<FoundFile>; readonly fault: string | undefined }
  | { readonly files: undefined; readonly fault: string }

/** The folders in which schedules look for files: the tenants' own, and their roots. */
export class TenantFolders extends Context.Service<
  TenantFolders,
  {
    /**
     * The files of a path or glob that runs of the tenant can read by `file_input` with this `root`. Without one: those
     * of the configuration folder, and those of the data area whose paths the configuration folder does not have.
     */
    readonly look: (
      tenant: TenantId,
      file: { readonly root?: string | undefined; readonly path: string }
    ) => Effect.Effect<Look, StorageUnreachable>
  }
>()("flow/schedules/TenantFolders") {}

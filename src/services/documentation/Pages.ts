import { Context, type Effect, type Scope } from "effect"
import type { StorageUnreachable } from "../../errors/StorageUnreachable.ts"
import type { ConfFile } from "../conf/Conf.ts"
import type { TenantId } from "../shared/Tenant.ts"

/** A folder of pages and images. */
export interface PageFolder {
  /** Opens a file until the scope closes; otherwise tells whether the path is a folder or missing. */
  readonly open: (path: string) => Effect.Effect<ConfFile | "folder" | "missing", StorageUnreachable, Scope.Scope>
  /** The paths of all files, sorted. */
  readonly list: Effect.Effect<ReadonlyArray<string>, StorageUnreachable>
}

/** The folders that contain documentation. */
export class Pages extends Context.Service<
  Pages,
  {
    /** The tenant's `documentation/` folder. */
    readonly tenant: (tenant: TenantId) => PageFolder
    /** The documentation that is shipped with the product. */
    readonly product: PageFolder
  }
>()("flow/documentation/Pages") {}

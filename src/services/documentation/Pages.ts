import { Context, type Effect, type Scope } from "effect"
import type { StorageUnreachable } from "../../errors/StorageUnreachable.ts"
import type { ConfFile } from "../conf/Conf.ts"

/** A folder of pages and pictures. */
export interface Shelf {
  /** An open file for the length of the scope; otherwise whether there is a folder or nothing at the path. */
  readonly open: (path: string) => Effect.Effect<ConfFile | "folder" | "missing", StorageUnreachable, Scope.Scope>
  /** The paths of all files, sorted. */
  readonly list: Effect.Effect<ReadonlyArray<string>, StorageUnreachable>
}

/** Where documentation lies. */
export class Pages extends Context.Service<
  Pages,
  {
    /** The tenant's `documentation/` folder. */
    readonly tenant: (tenant: string) => Shelf
    /** What comes with the product. */
    readonly product: Shelf
  }
>()("flow/documentation/Pages") {}

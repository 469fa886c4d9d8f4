import { Context, type Effect } from "effect"
import type { NotFound } from "../../errors/NotFound.ts"
import type { StorageUnreachable } from "../../errors/StorageUnreachable.ts"
import type { Reference, ResolvedReference } from "../../protocol/References.ts"

/** Finds what flowlines refer to in the tenant's registry and among its artifacts. */
export class References extends Context.Service<
  References,
  {
    /**
     * The latest version of a registry path, or the build of `type:group:artifact:version`. A reference that is not
     * well-formed names nothing, which is `NotFound` too.
     */
    readonly resolve: (
      tenant: string,
      reference: Reference
    ) => Effect.Effect<ResolvedReference, NotFound | StorageUnreachable>
  }
>()("flow/runs/References") {}

import { Context, type Effect } from "effect"
import type { NotFound } from "../../errors/NotFound.ts"
import type { StorageUnreachable } from "../../errors/StorageUnreachable.ts"
import type { Reference } from "../nodes/Node.ts"

/** The bytes behind a reference: a blob of the tenant, and the file name it was stored under. `size` is in bytes. */
export interface ResolvedReference {
  readonly sha256: string
  readonly size: number
  readonly name: string
}

/** What an attempt of an execution was given, by {@link referenceKey}. */
export type ResolvedReferences = Readonly<Record<string, ResolvedReference>>

/** The reference as one text, also for messages: `registry:<path>` or `resource:<type:group:artifact:version>`. */
export const referenceKey = (reference: Reference): string =>
  "registry" in reference ? `registry:${reference.registry}` : `resource:${reference.resource}`

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
>()("flow/engines/References") {}

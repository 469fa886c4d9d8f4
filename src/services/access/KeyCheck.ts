import { Context, type Effect } from "effect"
import type { StorageUnreachable } from "../../errors/StorageUnreachable.ts"
import type { Principal } from "../shared/Access.ts"

/** Finds out whose API key it is. Undefined: nobody's, or it is revoked or expired. */
export class KeyCheck extends Context.Service<
  KeyCheck,
  { readonly verify: (key: string) => Effect.Effect<Principal | undefined, StorageUnreachable> }
>()("flow/access/KeyCheck") {}

import { Context, type Effect } from "effect"
import type { StorageUnreachable } from "../../errors/StorageUnreachable.ts"
import type { Principal } from "../shared/Access.ts"

/** Finds out whose JSON Web Token it is. Undefined: it is not valid. */
export class TokenCheck extends Context.Service<
  TokenCheck,
  { readonly verify: (token: string) => Effect.Effect<Principal | undefined, StorageUnreachable> }
>()("flow/access/TokenCheck") {}

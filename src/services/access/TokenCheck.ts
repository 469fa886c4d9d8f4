import { Context, type Effect } from "effect"
import type { StorageUnreachable } from "../../errors/StorageUnreachable.ts"
import type { Principal } from "../shared/security/Principal.ts"

/** Checks JSON Web Tokens of the issuers of the access file. */
export class TokenCheck extends Context.Service<
  TokenCheck,
  {
    /** Whose token it is; undefined when it is refused. An exit if it was verified a short time ago. */
    readonly verify: (token: string) => Effect.Effect<Principal | undefined, StorageUnreachable>
  }
>()("flow/access/TokenCheck") {}

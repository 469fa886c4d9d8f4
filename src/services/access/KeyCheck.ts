import { Context, type Effect } from "effect"
import type { StorageUnreachable } from "../../errors/StorageUnreachable.ts"
import type { KeyId } from "../keys/ApiKey.ts"
import type { Principal } from "../shared/security/Principal.ts"

/** Checks API keys. */
export class KeyCheck extends Context.Service<
  KeyCheck,
  {
    /** Whose key it is; undefined when it is refused. An exit if the key is in memory. */
    readonly verify: (key: string) => Effect.Effect<Principal | undefined, StorageUnreachable>
    /** Like `verify`, for a caller that has only the key's id and the SHA-256 of its text, in hex. */
    readonly confirm: (id: KeyId, sha256: string) => Effect.Effect<Principal | undefined, StorageUnreachable>
  }
>()("flow/access/KeyCheck") {}

import { Context, type Effect } from "effect"
import type { StorageUnreachable } from "../../errors/StorageUnreachable.ts"
import type { Unauthorized } from "../../errors/Unauthorized.ts"
import type { Principal } from "../shared/Access.ts"

/** The headers of a request, by lower-case name. */
export type RequestHeaders = Readonly<Record<string, string | undefined>>

/** Finds out who sends a request. */
export class Authenticator extends Context.Service<
  Authenticator,
  {
    readonly authenticate: (headers: RequestHeaders) => Effect.Effect<Principal, Unauthorized | StorageUnreachable>
  }
>()("flow/access/Authenticator") {}

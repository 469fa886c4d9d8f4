import { Context, type Effect, Exit } from "effect"
import type { HttpServerRequest } from "effect/http"
import type { BadRequest } from "../../errors/BadRequest.ts"
import type { ForeignOrigin } from "../../errors/ForeignOrigin.ts"
import type { LimitExceeded } from "../../errors/LimitExceeded.ts"
import type { Overloaded } from "../../errors/Overloaded.ts"
import type { StorageUnreachable } from "../../errors/StorageUnreachable.ts"
import type { Unauthorized } from "../../errors/Unauthorized.ts"
import type { Principal } from "../shared/security/Principal.ts"

/** Why a request was not authenticated. */
export type Refusal = Unauthorized | ForeignOrigin | BadRequest | LimitExceeded | Overloaded | StorageUnreachable

/** Whether the effect has its value already, so that no fiber is needed. For code that runs for every request. */
export const isResolved = <A, E, R>(self: Effect.Effect<A, E, R>): self is Exit.Success<A, E> =>
  Exit.isExit(self) && Exit.isSuccess(self)

/** Headers that may have a credential. */
export interface CredentialHeaders {
  readonly authorization?: string | undefined
  readonly "x-api-key"?: string | ReadonlyArray<string> | undefined
}

/** Finds out who sends a request: the one place that takes credentials apart. */
export class Authenticator extends Context.Service<
  Authenticator,
  {
    /**
     * An exit if the credential was verified a short time ago. The headers are the request's, unless they are given.
     * Without `isUse` it is no use of a session.
     */
    readonly authenticate: (
      request: HttpServerRequest.HttpServerRequest,
      headers?: CredentialHeaders,
      isUse?: boolean
    ) => Effect.Effect<Principal, Refusal>
    /** The principal of such a credential; undefined for everything that `authenticate` has to look at. */
    readonly known?: (headers: CredentialHeaders) => Principal | undefined
    /** The name of the cookie that sessions have; undefined where there are none. */
    readonly session?: string
    /** The schemes that the gateway accepts, as `WWW-Authenticate` lists them to a request that it has refused. */
    readonly challenge: (request: HttpServerRequest.HttpServerRequest) => string
  }
>()("flow/access/Authenticator") {}

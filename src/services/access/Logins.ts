import { Context, Data, type Effect } from "effect"
import type { HttpServerRequest } from "effect/http"
import type { Refusal } from "./Authenticator.ts"
import type { LoggedIn } from "./Sessions.ts"

/** A way to log in that this gateway has. */
export type Scheme =
  | { readonly kind: "password" | "key" | "token" }
  | { readonly kind: "oidc"; readonly issuer: string; readonly name: string }

/** What a person types in. */
export type Credential =
  | { readonly user: string; readonly password: string }
  | { readonly key: string }
  | { readonly token: string }

/**
 * Why a login at an issuer came to nothing. `unknown`: the gateway has no such issuer. `unreachable`: it did not answer,
 * or not as an issuer does. `denied`: it said that there is no login. `expired`: the login was not begun in this browser,
 * or too long ago. `refused`: what it gave is not valid. `busy`: too many logins are under way, or have failed.
 */
const oidcFailures = ["unknown", "unreachable", "denied", "expired", "refused", "busy"] as const

export class OidcFailed extends Data.TaggedError("OidcFailed")<{
  readonly reason: (typeof oidcFailures)[number]
}> {}

/** What the browser keeps between the begin of a login at an issuer and its end. */
export interface OidcBegun {
  readonly issuer: string
  readonly redirectUri: string
  readonly state: string
  readonly nonce: string
  readonly verifier: string
}

/** Finds out who logs in. */
export class Logins extends Context.Service<
  Logins,
  {
    /** Undefined without `FLOW_AUTH`: nobody has to log in. */
    readonly schemes: () => ReadonlyArray<Scheme> | undefined
    readonly withCredential: (
      request: HttpServerRequest.HttpServerRequest,
      given: Credential
    ) => Effect.Effect<LoggedIn, Refusal>
    /** Begins a login at an issuer: the address to which the browser goes. */
    readonly beginOidc: (
      issuer: string,
      redirectUri: string,
      address: string
    ) => Effect.Effect<{ readonly url: string; readonly begun: OidcBegun }, OidcFailed>
    /** Ends a login at an issuer by what the issuer has added to the address of the callback. */
    readonly endOidc: (begun: OidcBegun, query: string, address: string) => Effect.Effect<LoggedIn, OidcFailed>
  }
>()("flow/access/Logins") {}

import { Context, type Effect, Schema } from "effect"
import type { StorageUnreachable } from "../../errors/StorageUnreachable.ts"
import type { Principal } from "../shared/security/Principal.ts"

/**
 * What a session keeps of the credential with which it began: what identifies it, and a digest that changes when it
 * does. Never the credential itself: no password, no key, no token with its signature.
 */
export const Proof = Schema.Union([
  Schema.Struct({
    scheme: Schema.Literal("password"),
    user: Schema.String,
    /** SHA-256 of the stored hash, in hex. */
    digest: Schema.String
  }),
  Schema.Struct({
    scheme: Schema.Literal("key"),
    key: Schema.String,
    /** SHA-256 of the key, in hex. */
    digest: Schema.String
  }),
  Schema.Struct({
    scheme: Schema.Literals(["token", "oidc"]),
    issuer: Schema.String,
    claims: Schema.Record(Schema.String, Schema.Unknown)
  })
])
export type Proof = typeof Proof.Type

/** Who has logged in, and with what. */
export interface LoggedIn {
  readonly principal: Principal
  readonly proof: Proof
  /** Epoch milliseconds at which the credential ends; undefined where it has no end, or need not outlast the login. */
  readonly endsAt: number | undefined
}

/** A session that holds now. */
export interface Session {
  readonly principal: Principal
  readonly scheme: Proof["scheme"]
  /** Epoch milliseconds at which it ends in any case, and at which it ends without a further request. */
  readonly endsAt: number
  readonly idleUntil: number
}

/** The sessions of browsers: who has logged in keeps a token instead of a credential. */
export class Sessions extends Context.Service<
  Sessions,
  {
    /** The name of the cookie, which no other installation has: below one origin there may be several. */
    readonly cookie: string
    /**
     * Whose token it is, with the rights of now; undefined when there is no such session, or no longer. It counts as a use
     * of the session, by default.
     */
    readonly find: (token: string, isUse?: boolean) => Effect.Effect<Session | undefined, StorageUnreachable>
    /** Begins a session with a new token, and ends the one that the browser had before. */
    readonly begin: (who: LoggedIn, former: string | undefined) => Effect.Effect<string, StorageUnreachable>
    /** Ends a session; there need not be one. */
    readonly end: (token: string) => Effect.Effect<void, StorageUnreachable>
  }
>()("flow/access/Sessions") {}

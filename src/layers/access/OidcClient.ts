import { hash } from "node:crypto"
import { type Clock, Effect, type Redacted, Redacted as Secret } from "effect"
import * as client from "openid-client"
import { monotonicMillis } from "../../protocol/MonotonicTime.ts"
import type { Issuer } from "../../services/access/AccessFile.ts"
import { type OidcBegun, OidcFailed } from "../../services/access/Logins.ts"
import { ExpiringMap } from "./ExpiringMap.ts"
import { type IssuerFetch, makeIssuerFetch } from "./IssuerFetch.ts"
import { skewOf } from "./Tokens.ts"

/**
 * Milliseconds for which an issuer's discovery document is cached, and for which it is not asked again after a failure.
 */
const freshMillis = 10 * 60_000
const failedMillis = 1000
const mostIssuers = 100

/** Seconds that an issuer has for each answer. */
const patience = 5

/** Maximum length of the claims that a session keeps, in characters. */
const mostClaims = 16 * 1024

/** Statuses whose answers have no body. */
const bodiless: ReadonlySet<number> = new Set([204, 205, 304])

/** The issuer's answers are bounded and come from allowed addresses only. */
const fetchBy =
  (send: IssuerFetch): client.CustomFetch =>
  async (url, { method, headers, body, signal }) => {
    const text = body instanceof URLSearchParams || typeof body === "string" ? { body: String(body) } : {}
    const answer = await send(url, { method, headers, ...text }, signal ?? AbortSignal.timeout(patience * 1000))
    const { "content-type": type = "" } = answer.headers
    return new Response(bodiless.has(answer.status) ? null : answer.bytes, {
      status: answer.status,
      headers: { "content-type": type }
    })
  }

/** Error codes of answers that the issuer gave and that are not valid for this login. */
const refusing: ReadonlySet<unknown> = new Set([
  "OAUTH_INVALID_RESPONSE",
  "OAUTH_JWT_TIMESTAMP_CHECK_FAILED",
  "OAUTH_JWT_CLAIM_COMPARISON_FAILED",
  "OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED",
  "OAUTH_KEY_SELECTION_FAILED"
])

const reasonOf = (error: unknown): OidcFailed["reason"] => {
  if (error instanceof client.AuthorizationResponseError) return "denied"
  if (error instanceof client.ResponseBodyError) return "refused"
  if (error instanceof RefusedLogin) return "refused"
  return error instanceof client.ClientError && refusing.has(error.code) ? "refused" : "unreachable"
}

/** A failure's text for the log: messages only, because causes contain tokens. */
const messageOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error)
  const { message, cause } = error
  const code = error instanceof client.ResponseBodyError ? ` (${error.error.slice(0, 100)})` : ""
  return `${message}${code}${cause instanceof Error ? `: ${cause.message}` : ""}`
}

class RefusedLogin extends Error {}

const failed =
  ({ issuer }: Issuer, onlyReason?: OidcFailed["reason"]) =>
  (error: unknown) =>
    Effect.andThen(
      Effect.logWarning(`A login at the issuer ${issuer} has failed: ${messageOf(error)}`),
      new OidcFailed({ reason: onlyReason ?? reasonOf(error) })
    )

const isPlain = (issuer: string): boolean => issuer.startsWith("http:")

/** How the gateway authenticates as a client at the issuer. */
const authenticationOf = (config: client.Configuration, secret: string | undefined): client.ClientAuth => {
  if (secret === undefined) return client.None()
  const supported = config.serverMetadata().token_endpoint_auth_methods_supported
  return supported === undefined || supported.includes("client_secret_basic")
    ? client.ClientSecretBasic(secret)
    : client.ClientSecretPost(secret)
}

const settle = (config: client.Configuration, issuer: string): client.Configuration => {
  if (isPlain(issuer)) client.allowInsecureRequests(config)
  client.enableNonRepudiationChecks(config)
  return config
}

/** An issuer's discovery document, and the milliseconds of the monotonic clock until which it is cached. */
interface Known {
  readonly reading: Promise<client.Configuration>
  readonly until: number
}

/** Logins at issuers by authorization code with PKCE, on openid-client. */
export const makeOidcClient = (allowed: ReadonlyArray<string>, clock: Clock.Clock) => {
  const fetch = fetchBy(makeIssuerFetch(allowed))
  const known = new ExpiringMap<string, Known>(mostIssuers)

  /** Marks the document as possibly outdated: the next login reads it again, but not every failed login does. */
  const doubt = (key: string): void => {
    const now = monotonicMillis(clock)
    const found = known.get(key, now)
    if (found === undefined || found.until <= now + failedMillis) return
    known.set(key, { ...found, until: now + failedMillis }, now + failedMillis)
  }

  const discover = async (issuer: Issuer, clientId: string, secret: string | undefined) => {
    const metadata = { [client.clockTolerance]: Math.max(skewOf(issuer), 1) }
    const found = await client.discovery(new URL(issuer.issuer), clientId, metadata, client.None(), {
      [client.customFetch]: fetch,
      timeout: patience,
      execute: isPlain(issuer.issuer) ? [client.allowInsecureRequests] : []
    })
    // Only the discovery document says by which methods a client may authenticate.
    const config = new client.Configuration(found.serverMetadata(), clientId, metadata, authenticationOf(found, secret))
    config[client.customFetch] = fetch
    config.timeout = patience
    return settle(config, issuer.issuer)
  }

  /** The issuer's discovery document as a configuration, read once for all logins that need it. */
  const configOf = (issuer: Issuer, clientId: string, given: Redacted.Redacted<string> | undefined) =>
    Effect.tryPromise({
      try: () => {
        const secret = given === undefined ? undefined : Secret.value(given)
        const key = hash("sha256", JSON.stringify([issuer, secret ?? null]))
        const now = monotonicMillis(clock)
        const doubted = () => doubt(key)
        const before = known.get(key, now)
        if (before !== undefined) return before.reading.then((config) => ({ config, doubted }))
        const reading = discover(issuer, clientId, secret)
        known.set(key, { reading, until: now + freshMillis }, now + freshMillis)
        reading.catch(doubted)
        return reading.then((config) => ({ config, doubted }))
      },
      catch: (error) => error
    }).pipe(Effect.catch(failed(issuer, "unreachable")))

  const begin = Effect.fnUntraced(function* (
    issuer: Issuer,
    login: NonNullable<Issuer["login"]>,
    secret: Redacted.Redacted<string> | undefined,
    redirectUri: string
  ) {
    const { config, doubted } = yield* configOf(issuer, login.clientId, secret)
    const verifier = client.randomPKCECodeVerifier()
    const begun: OidcBegun = {
      issuer: issuer.issuer,
      redirectUri,
      state: client.randomState(),
      nonce: client.randomNonce(),
      verifier
    }
    const challenge = yield* Effect.promise(() => client.calculatePKCECodeChallenge(verifier))
    const url = yield* Effect.try({
      try: () => {
        const scopes = new Set(["openid", ...(login.scope ?? "").split(" ")].filter((scope) => scope !== ""))
        const found = client.buildAuthorizationUrl(config, {
          redirect_uri: redirectUri,
          scope: [...scopes].join(" "),
          state: begun.state,
          nonce: begun.nonce,
          code_challenge: challenge,
          code_challenge_method: "S256"
        })
        if (found.protocol !== "https:" && !(found.protocol === "http:" && isPlain(issuer.issuer))) {
          throw new Error(`its authorization endpoint has the scheme ${found.protocol}`)
        }
        return found.href
      },
      catch: (error) => error
    }).pipe(
      Effect.tapError(() => Effect.sync(doubted)),
      Effect.catch(failed(issuer, "unreachable"))
    )
    return { url, begun }
  })

  /** Redeems the code in the query at the issuer, and returns the claims of the ID token. */
  const end = Effect.fnUntraced(function* (
    issuer: Issuer,
    login: NonNullable<Issuer["login"]>,
    secret: Redacted.Redacted<string> | undefined,
    begun: OidcBegun,
    query: string
  ) {
    const { config, doubted } = yield* configOf(issuer, login.clientId, secret)
    return yield* Effect.tryPromise({
      try: async () => {
        const tokens = await client.authorizationCodeGrant(config, new URL(`${begun.redirectUri}?${query}`), {
          expectedState: begun.state,
          expectedNonce: begun.nonce,
          pkceCodeVerifier: begun.verifier,
          idTokenExpected: true
        })
        const claims = tokens.claims()
        const [header = ""] = (tokens.id_token ?? "").split(".")
        const { alg }: { alg?: unknown } = JSON.parse(Buffer.from(header, "base64url").toString())
        if (claims === undefined || JSON.stringify(claims).length > mostClaims) {
          throw new RefusedLogin(`the ID token has more than ${mostClaims} characters`)
        }
        if (issuer.algorithms?.some((one) => one === alg) === false) {
          throw new RefusedLogin("the ID token has another signature algorithm than the access file allows")
        }
        return claims
      },
      catch: (error) => error
    }).pipe(
      Effect.tapError(() => Effect.sync(doubted)),
      Effect.catch(failed(issuer))
    )
  })

  return { begin, end }
}

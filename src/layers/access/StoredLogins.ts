import { hash } from "node:crypto"
import { Clock, Effect, Layer } from "effect"
import { decodeJwt } from "jose"
import { BadRequest } from "../../errors/BadRequest.ts"
import { Unauthorized } from "../../errors/Unauthorized.ts"
import { monotonicMillis } from "../../protocol/MonotonicTime.ts"
import type { AccessFile, Issuer } from "../../services/access/AccessFile.ts"
import { AccessRules } from "../../services/access/AccessRules.ts"
import { Authenticator, type CredentialHeaders } from "../../services/access/Authenticator.ts"
import { type Credential, Logins, OidcFailed, type Scheme } from "../../services/access/Logins.ts"
import type { LoggedIn, Proof } from "../../services/access/Sessions.ts"
import { keyIdOf } from "../../services/keys/ApiKey.ts"
import { ConfiguredSecrets } from "../../services/secrets/ConfiguredSecrets.ts"
import { FairSemaphore } from "../../services/shared/capacity/FairSemaphore.ts"
import type { Principal } from "../../services/shared/security/Principal.ts"
import { Settings } from "../../services/shared/settings/Settings.ts"
import { networkOf } from "../http/server/ConnectionLimit.ts"
import { principalOfClaims } from "./Claims.ts"
import { FailedLogins } from "./FailedLogins.ts"
import { makeOidcClient } from "./OidcClient.ts"
import { passwordDigest } from "./StoredSessions.ts"
import { skewOf } from "./Tokens.ts"

/** Limits of concurrent logins at issuers: in all, per address, and waiting per address. */
const underWay = { all: 16, each: 4, waiting: 16 }
const mostWaiting = 256

const base64 = (text: string): string => Buffer.from(text, "utf8").toString("base64")

/** The credential as a header, so that one place takes credentials apart. */
const headersOf = (given: Credential): CredentialHeaders => {
  if ("user" in given) return { authorization: `Basic ${base64(`${given.user}:${given.password}`)}` }
  return { authorization: `Bearer ${"key" in given ? given.key : given.token}` }
}

const refuse = (pointer: string, detail: string) =>
  new BadRequest({ detail: "The login is invalid", issues: [{ part: "body", pointer, detail }] })

/** Why a credential is refused without a check. A key that is sent as a token would authenticate another way. */
const faultOf = (given: Credential) => {
  if ("user" in given) {
    return given.user.includes(":") ? refuse("/user", "A user's name has no colon") : undefined
  }
  if ("key" in given) return keyIdOf(given.key) === undefined ? new Unauthorized({}) : undefined
  return given.token.startsWith("fgk_") ? refuse("/token", "This is an API key: send it as key") : undefined
}

/** What a session stores so that its credential can be checked later. `file` has the rules by which it was accepted. */
const proofOf = (file: AccessFile, principal: Principal, given: Credential): Proof | undefined => {
  if ("user" in given) {
    const name = principal.id.slice("user:".length)
    const user = Object.hasOwn(file.users ?? {}, name) ? file.users?.[name] : undefined
    return user && { scheme: "password", user: name, digest: passwordDigest(user.password) }
  }
  if ("key" in given) {
    const key = keyIdOf(given.key)
    return key && { scheme: "key", key, digest: hash("sha256", given.key, "hex") }
  }
  const claims = decodeJwt(given.token)
  return { scheme: "token", issuer: claims.iss ?? "", claims }
}

const tokenEnd = (file: AccessFile, proof: Proof): number | undefined => {
  if (proof.scheme !== "token") return undefined
  const issuer = file.issuers?.find((one) => one.issuer === proof.issuer)
  const { exp } = proof.claims
  return issuer === undefined || typeof exp !== "number" ? undefined : (exp + skewOf(issuer)) * 1000
}

const nameOf = ({ issuer, login }: Issuer): string => login?.name ?? URL.parse(issuer)?.host ?? issuer

const schemesOf = ({ users = {}, issuers = [] }: AccessFile): ReadonlyArray<Scheme> => [
  ...(Object.keys(users).length > 0 ? [{ kind: "password" as const }] : []),
  ...issuers.flatMap((one) =>
    one.login === undefined ? [] : [{ kind: "oidc" as const, issuer: one.issuer, name: nameOf(one) }]
  ),
  { kind: "key" },
  ...(issuers.length > 0 ? [{ kind: "token" as const }] : [])
]

/** Logins by credentials, and at the issuers of the access file. */
export const layer = Layer.effect(
  Logins,
  Effect.gen(function* () {
    const rules = yield* AccessRules
    const authenticator = yield* Authenticator
    const secrets = yield* ConfiguredSecrets
    const { outbound } = yield* Settings
    const clock = yield* Clock.Clock
    const oidc = makeOidcClient(outbound, clock)
    const failures = new FailedLogins(() => monotonicMillis(clock))
    const full = () => new OidcFailed({ reason: "busy" })
    const { waiting, ...places } = underWay
    const turns = new FairSemaphore<OidcFailed, string>({ ...places, queue: { each: waiting, full } })

    /** The issuer, its login and the gateway's secret there, as the access file says now. */
    const issuerNow = Effect.fnUntraced(function* (name: string) {
      const issuer = rules.current()?.issuers?.find((one) => one.issuer === name)
      if (issuer?.login === undefined) return yield* new OidcFailed({ reason: "unknown" })
      const { login } = issuer
      if (login.clientSecret === undefined) return { issuer, login, secret: undefined }
      const what = `the client secret of the issuer ${name}`
      const secret = yield* secrets
        .read(login.clientSecret, what)
        .pipe(
          Effect.catch((error) =>
            Effect.andThen(
              Effect.logError(`Nobody can log in at an issuer: ${error.detail}`),
              new OidcFailed({ reason: "unreachable" })
            )
          )
        )
      return { issuer, login, secret }
    })

    /** Delays logins of an address that has failed too often, as for passwords. */
    const slowed = <A>(address: string, login: Effect.Effect<A, OidcFailed>) =>
      Effect.suspend(() => {
        const network = networkOf(address)
        if (!failures.mayTry(network) || turns.waiting >= mostWaiting) return Effect.fail(full())
        return Effect.tapError(turns.within(network, login), ({ reason }) =>
          Effect.sync(() => {
            if (reason === "refused" || reason === "denied") failures.failed(network)
          })
        )
      })

    return Logins.of({
      schemes: () => {
        const file = rules.current()
        return file === undefined ? undefined : schemesOf(file)
      },
      withCredential: Effect.fn("Logins.withCredential")(function* (request, given) {
        const file = rules.current()
        const fault =
          file === undefined ? refuse("", "Nobody has to log in here: FLOW_AUTH is not set") : faultOf(given)
        if (fault !== undefined || file === undefined) return yield* fault ?? new Unauthorized({})
        const principal = yield* authenticator.authenticate(request, headersOf(given))
        const proof = proofOf(file, principal, given)
        if (proof === undefined) return yield* new Unauthorized({})
        return { principal, proof, endsAt: tokenEnd(file, proof) } satisfies LoggedIn
      }),
      beginOidc: Effect.fn("Logins.beginOidc")(function* (name, redirectUri, address) {
        const { issuer, login, secret } = yield* issuerNow(name)
        return yield* slowed(address, oidc.begin(issuer, login, secret, redirectUri))
      }),
      endOidc: Effect.fn("Logins.endOidc")(function* (begun, query, address) {
        const { issuer, login, secret } = yield* issuerNow(begun.issuer)
        const claims = yield* slowed(address, oidc.end(issuer, login, secret, begun, query))
        const principal = principalOfClaims(issuer, claims)
        if (principal === undefined) return yield* new OidcFailed({ reason: "refused" })
        const proof: Proof = { scheme: "oidc", issuer: issuer.issuer, claims }
        // An ID token only proves who logs in now. The gateway decides how long the session lasts.
        return { principal, proof, endsAt: undefined }
      })
    })
  })
)

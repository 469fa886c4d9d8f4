import { hash } from "node:crypto"
import { Clock, Effect, Layer, Semaphore } from "effect"
import { type CryptoKey, decodeJwt, decodeProtectedHeader, errors, jwtVerify } from "jose"
import { monotonicMillis } from "../../protocol/MonotonicTime.ts"
import { type AccessFile, type Issuer, tokenAlgorithms } from "../../services/access/AccessFile.ts"
import { AccessRules } from "../../services/access/AccessRules.ts"
import { TokenCheck } from "../../services/access/TokenCheck.ts"
import type { Principal } from "../../services/shared/security/Principal.ts"
import { Settings } from "../../services/shared/settings/Settings.ts"
import { principalOfClaims } from "./Claims.ts"
import { ExpiringMap } from "./ExpiringMap.ts"
import { makeFetchJson } from "./IssuerFetch.ts"
import { type FindKeys, makeIssuerKeys } from "./IssuerKeys.ts"

/** Maximum length of a token in characters. */
const mostChars = 16 * 1024

/** Allowed difference in seconds between the clocks of an issuer and of the gateway: the default, and the maximum. */
const usualSkew = 30
const mostSkew = 300

/** Milliseconds for which a verified token is not verified again. */
const tokenMillis = 60_000
const mostTokens = 10_000

/** Number of signatures verified at the same time: they share Node's thread pool with file access and name lookups. */
const verifications = 2

const asymmetric: ReadonlySet<string> = new Set(tokenAlgorithms)

const compact = /^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$/

/** Whether each part is canonical base64url. Otherwise one token could be written in several ways. */
const isCanonical = (token: string): boolean =>
  token.split(".").every((part) => Buffer.from(part, "base64url").toString("base64url") === part)

/** The unverified content of a token. */
const claimed = (token: string) => {
  try {
    const header = decodeProtectedHeader(token)
    return { header, algorithm: header.alg ?? "none", issuer: decodeJwt(token).iss }
  } catch {
    return undefined
  }
}

/** Seconds by which the clocks of the issuer and of the gateway may differ. */
export const skewOf = ({ clockSkew = usualSkew }: Issuer): number => Math.min(Math.max(clockSkew, 0), mostSkew)

/**
 * Verifies that one of the keys has signed the token for the gateway and that it is valid at `now` (epoch
 * milliseconds). Returns its claims; null if none of the keys has signed it.
 */
const verified = async (
  token: string,
  keys: ReadonlyArray<CryptoKey>,
  algorithm: string,
  issuer: Issuer,
  now: number
) => {
  const clockTolerance = skewOf(issuer)
  for (const key of keys) {
    try {
      const { payload } = await jwtVerify(token, key, {
        algorithms: [algorithm],
        issuer: issuer.issuer,
        audience: typeof issuer.audience === "string" ? issuer.audience : [...issuer.audience],
        requiredClaims: ["exp", "sub"],
        clockTolerance,
        currentDate: new Date(now)
      })
      // jose compares `iat` only where tokens have a limit of age.
      return (payload.iat ?? 0) > now / 1000 + clockTolerance ? undefined : payload
    } catch (error) {
      if (!(error instanceof errors.JWSSignatureVerificationFailed)) return undefined
    }
  }
  return null
}

/** Checks JSON Web Tokens with the keys of their issuers. */
export const layer = Layer.effect(
  TokenCheck,
  Effect.gen(function* () {
    const rules = yield* AccessRules
    const { outbound } = yield* Settings
    const scope = yield* Effect.scope
    const clock = yield* Clock.Clock
    const fetchJson = makeFetchJson(outbound)
    const inTurn = Semaphore.makeUnsafe(verifications).withPermits(1)
    const known = new ExpiringMap<string, Principal>(mostTokens)
    let keySets = new Map<string, FindKeys>()
    let seen: AccessFile | undefined

    const nameOf = ({ issuer, jwksUri = "" }: Issuer): string => `${issuer} ${jwksUri}`

    /** The current access file. After a change all verified tokens are forgotten, but not the issuers' keys. */
    const fileNow = (): AccessFile | undefined => {
      const file = rules.current()
      if (file === seen) return file
      seen = file
      known.clear()
      const keysOf = (one: Issuer) =>
        keySets.get(nameOf(one)) ?? makeIssuerKeys(one.issuer, one.jwksUri, fetchJson, scope)
      keySets = new Map(file?.issuers?.map((one) => [nameOf(one), keysOf(one)]))
      return file
    }

    const check = Effect.fnUntraced(function* (token: string, digest: string, file: AccessFile) {
      const said = compact.test(token) && isCanonical(token) ? claimed(token) : undefined
      if (said === undefined || !asymmetric.has(said.algorithm)) return undefined
      const { algorithm } = said
      const issuer = file.issuers?.find((one) => one.issuer === said.issuer)
      if (issuer === undefined || issuer.algorithms?.some((one) => one === algorithm) === false) return undefined
      const find = keySets.get(nameOf(issuer))!
      const claimsBy = (keys: ReadonlyArray<CryptoKey>) =>
        inTurn(Effect.promise(() => verified(token, keys, algorithm, issuer, clock.currentTimeMillisUnsafe())))
      const keys = yield* find(said.header)
      const first = yield* claimsBy(keys)
      const payload =
        first === null && keys.length > 0 ? yield* Effect.flatMap(find(said.header, keys), claimsBy) : first
      const principal = payload ? principalOfClaims(issuer, payload) : undefined
      if (payload?.exp !== undefined && principal !== undefined && seen === file) {
        const left = (payload.exp + skewOf(issuer)) * 1000 - clock.currentTimeMillisUnsafe()
        known.set(digest, principal, monotonicMillis(clock) + Math.min(left, tokenMillis))
      }
      return principal
    })

    return TokenCheck.of({
      verify: (token) => {
        const file = fileNow()
        if (file?.issuers === undefined || token.length > mostChars) return Effect.succeed(undefined)
        const digest = hash("sha256", token, "latin1")
        const principal = known.get(digest, monotonicMillis(clock))
        return principal === undefined ? check(token, digest, file) : Effect.succeed(principal)
      }
    })
  })
)

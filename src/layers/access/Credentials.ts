import { Effect, Layer, Option } from "effect"
import type { HttpServerRequest } from "effect/http"
import { BadRequest } from "../../errors/BadRequest.ts"
import { Unauthorized } from "../../errors/Unauthorized.ts"
import { AccessRules } from "../../services/access/AccessRules.ts"
import { Authenticator, type CredentialHeaders, isResolved } from "../../services/access/Authenticator.ts"
import { KeyCheck } from "../../services/access/KeyCheck.ts"
import { maxPasswordBytes } from "../../services/access/PasswordHash.ts"
import { Sessions } from "../../services/access/Sessions.ts"
import { TokenCheck } from "../../services/access/TokenCheck.ts"
import type { Principal } from "../../services/shared/security/Principal.ts"
import { foreignPage, isOfOwnPage, pageHeader } from "../http/guards/OwnPage.ts"
import { cookieOf, usesSession } from "../http/guards/SessionCookie.ts"
import { Passwords } from "./Passwords.ts"

/** How API keys begin; every other bearer credential is a token. */
const keyPrefix = "fgk_"
/** Maximum length of `name:password` in bytes, and of its base64 form in characters. */
const maxPairBytes = 512 + 1 + maxPasswordBytes
const maxPairText = Math.ceil(maxPairBytes / 3) * 4

const unauthorized = Effect.fail(new Unauthorized({}))
const orUnauthorized = (principal: Principal | undefined) =>
  principal === undefined ? unauthorized : Effect.succeed(principal)

const ended = new Unauthorized({ detail: "The session has ended: log in again" })

const ambiguous = "Send one credential: Authorization or X-API-Key, not both"
const twoHeaders = Effect.fail(new BadRequest({ detail: ambiguous, issues: [{ part: "header", detail: ambiguous }] }))

/** Scheme and credential of an `Authorization` header; the scheme is any word in any case (RFC 9110, section 11.4). */
const form = /^([A-Za-z]+) +(\S+)$/
const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

/** Name and password of Basic credentials (RFC 7617), in UTF-8. */
const pairOf = (encoded: string): readonly [name: string, password: string] | undefined => {
  if (encoded.length > maxPairText || !/^[A-Za-z0-9+/]*={0,2}$/.test(encoded)) return undefined
  let pair: string
  try {
    pair = utf8.decode(Buffer.from(encoded, "base64"))
  } catch {
    return undefined
  }
  const colon = pair.indexOf(":")
  if (colon === -1) return undefined
  const [name, password] = [pair.slice(0, colon), pair.slice(colon + 1)]
  return Buffer.byteLength(password) > maxPasswordBytes ? undefined : [name, password]
}

/** Authenticates by the access file's users, API keys, tokens and sessions. */
export const layer = Layer.effect(
  Authenticator,
  Effect.gen(function* () {
    const passwords = yield* Passwords
    const rules = yield* AccessRules
    const keys = yield* KeyCheck
    const tokens = yield* TokenCheck
    const sessions = yield* Sessions

    /** Authenticates by a session's cookie. Browsers also send it with requests of other sites' pages. */
    const bySession = Effect.fnUntraced(function* (request: HttpServerRequest.HttpServerRequest, isUse: boolean) {
      if (!isOfOwnPage(request)) return yield* foreignPage(request)
      const session = yield* sessions.find(cookieOf(request, sessions.cookie)?.value ?? "", isUse)
      return session === undefined ? yield* ended : session.principal
    })

    const valueOf = (found: ReturnType<typeof keys.verify> | ReturnType<typeof tokens.verify>) =>
      isResolved(found) ? found.value : undefined

    const known = ({ authorization, "x-api-key": apiKey }: CredentialHeaders): Principal | undefined => {
      if (authorization === undefined) {
        return typeof apiKey === "string" && apiKey.startsWith(keyPrefix) ? valueOf(keys.verify(apiKey)) : undefined
      }
      if (apiKey !== undefined) return undefined
      if (authorization.startsWith("Basic ")) return passwords.known(authorization.slice(6))
      const credential = authorization.startsWith("Bearer ") ? authorization.slice(7) : ""
      if (credential === "") return undefined
      return valueOf(credential.startsWith(keyPrefix) ? keys.verify(credential) : tokens.verify(credential))
    }

    return Authenticator.of({
      session: sessions.cookie,
      known,
      // No generator: every request passes here.
      authenticate: (request, given, isUse = true) => {
        const { authorization, "x-api-key": apiKey } = given ?? request.headers
        if (authorization === undefined) {
          if (apiKey === undefined && usesSession(request, sessions.cookie)) return bySession(request, isUse)
          return typeof apiKey === "string" && apiKey.startsWith(keyPrefix)
            ? Effect.flatMapEager(keys.verify(apiKey), orUnauthorized)
            : unauthorized
        }
        if (apiKey !== undefined) return twoHeaders
        const known = authorization.startsWith("Basic ") ? passwords.known(authorization.slice(6)) : undefined
        if (known !== undefined) return Effect.succeed(known)
        const [, scheme = "", credential = ""] = form.exec(authorization) ?? []
        switch (scheme.toLowerCase()) {
          case "bearer":
            return Effect.flatMapEager(
              credential.startsWith(keyPrefix) ? keys.verify(credential) : tokens.verify(credential),
              orUnauthorized
            )
          case "basic": {
            const principal = passwords.known(credential)
            if (principal !== undefined) return Effect.succeed(principal)
            const pair = pairOf(credential)
            if (pair === undefined) return unauthorized
            const address = Option.getOrElse(request.remoteAddress, () => "")
            return passwords.verify(credential, ...pair, address)
          }
          default:
            return unauthorized
        }
      },
      challenge: (request) => {
        const { headers } = request
        // If asked for a password, a browser would show its own dialog in front of the page's.
        const isPage =
          headers[pageHeader] !== undefined ||
          headers["sec-fetch-site"] === "same-origin" ||
          usesSession(request, sessions.cookie)
        const basic = !isPage && Object.keys(rules.current()?.users ?? {}).length > 0
        const refusedBearer = /^bearer /i.test(headers["authorization"] ?? "")
        return [
          ...(basic ? ['Basic realm="flow-gateway", charset="UTF-8"'] : []),
          `Bearer realm="flow-gateway"${refusedBearer ? ', error="invalid_token"' : ""}`
        ].join(", ")
      }
    })
  })
)

import { Effect, Schema } from "effect"
import { HttpRouter, type HttpServerRequest, HttpServerRespondable, HttpServerResponse } from "effect/http"
import { BadRequest } from "../../../errors/BadRequest.ts"
import { Unauthorized } from "../../../errors/Unauthorized.ts"
import { UnsupportedMediaType } from "../../../errors/UnsupportedMediaType.ts"
import { Authenticator } from "../../../services/access/Authenticator.ts"
import { type Credential, Logins } from "../../../services/access/Logins.ts"
import { type Session, Sessions } from "../../../services/access/Sessions.ts"
import { wholeBody } from "../../../services/shared/bytes/WholeBody.ts"
import { strict } from "../../../services/shared/requests/RequestProblems.ts"
import { issuesOf } from "../../../services/shared/requests/SchemaIssues.ts"
import {
  anonymous,
  everyTenant,
  hasRole,
  maySee,
  type Principal,
  roles
} from "../../../services/shared/security/Principal.ts"
import { Tenants } from "../../../services/shared/Tenant.ts"
import { refusal } from "../guards/Authentication.ts"
import { foreignPage, isOfOwnPage, isSecure } from "../guards/OwnPage.ts"
import { cookieOf, usesSession, withCookie, withoutCookie } from "../guards/SessionCookie.ts"
import type { RouteEntry } from "../routes/RouteTable.ts"
import { receivedOf } from "../server/NodeMessages.ts"

type Request = HttpServerRequest.HttpServerRequest

const path = "/console/session"

/** The route, with the actions by which the audit knows its methods. */
export const route: RouteEntry = {
  template: path,
  methods: new Set(["GET", "HEAD", "POST", "DELETE"]),
  endpoints: new Map([
    ["POST", { action: "sessions.begin", isChange: true }],
    ["DELETE", { action: "sessions.end", isChange: true }]
  ])
}

/** A token has 16 KiB at most. */
const mostBytes = 32 * 1024

const noStore = { "cache-control": "no-store" }

const secret = Schema.String.check(Schema.isMinLength(1))
const LoginRequest = Schema.Struct({
  user: Schema.optionalKey(secret),
  password: Schema.optionalKey(Schema.String),
  key: Schema.optionalKey(secret),
  token: Schema.optionalKey(secret)
})
const decodeLogin = Schema.decodeUnknownEffect(LoginRequest, strict)

const invalid = (detail: string) => new BadRequest({ detail, issues: [{ part: "body", pointer: "", detail }] })

const readBody = Effect.fnUntraced(function* (request: Request) {
  // Forms of other sites can only send other types.
  const type = request.headers["content-type"] ?? ""
  if (!/^\s*application\/json\s*(;|$)/i.test(type)) {
    return yield* new UnsupportedMediaType({ detail: "Send the login with Content-Type: application/json" })
  }
  const bytes = yield* wholeBody(request, mostBytes)
  return yield* Effect.try({
    try: (): unknown => JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes)),
    catch: () => invalid("The body is not JSON in UTF-8")
  })
})

/** The credential of a login request. No fault repeats a value. */
const credentialOf = Effect.fnUntraced(function* (body: unknown) {
  const { user, password, key, token } = yield* Effect.mapError(
    decodeLogin(body),
    (error) => new BadRequest({ detail: "The login is invalid", issues: issuesOf(error, "body") })
  )
  const given: ReadonlyArray<Credential> = [
    ...(user !== undefined && password !== undefined ? [{ user, password }] : []),
    ...(key === undefined ? [] : [{ key }]),
    ...(token === undefined ? [] : [{ token }])
  ]
  const [credential] = given
  const isHalf = (user === undefined) !== (password === undefined)
  if (credential === undefined || given.length > 1 || isHalf) {
    return yield* invalid("Send one credential: user and password, or key, or token")
  }
  return credential
})

const highestRole = (principal: Principal, tenant: string) => roles.findLast((role) => hasRole(principal, tenant, role))

const iso = (millis: number): string => new Date(millis).toISOString()

/**
 * `/console/session`: who uses the console (GET), log in (POST), log out (DELETE). It is part of the console and not of
 * the API: programs send their credential with each request.
 */
export const layer = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const authenticator = yield* Authenticator
    const sessions = yield* Sessions
    const logins = yield* Logins
    const tenants = yield* Tenants

    /** The principal, and the tenants that it may see with its role in each. */
    const shown = Effect.fnUntraced(function* (principal: Principal | undefined, session: Session | undefined) {
      const schemes = logins.schemes()
      const names = principal === undefined ? [] : yield* tenants.names
      return {
        authentication: schemes !== undefined,
        schemes: schemes ?? [],
        principal: principal?.id ?? null,
        scheme: session?.scheme ?? null,
        endsAt: session === undefined ? null : iso(session.endsAt),
        idleUntil: session === undefined ? null : iso(session.idleUntil),
        everyTenant: principal === undefined ? null : (highestRole(principal, everyTenant) ?? null),
        tenants: names.flatMap((name) =>
          principal !== undefined && maySee(principal, name) ? [{ name, role: highestRole(principal, name) }] : []
        )
      }
    })

    const answerWith = (body: unknown) => HttpServerResponse.jsonUnsafe(body, { headers: noStore })

    const tokenOf = (request: Request) => cookieOf(request, sessions.cookie)?.value

    const read = Effect.fnUntraced(function* (request: Request) {
      if (logins.schemes() === undefined) return answerWith(yield* shown(anonymous, undefined))
      if (!usesSession(request, sessions.cookie)) {
        const hasCredential = "authorization" in request.headers || "x-api-key" in request.headers
        const principal =
          receivedOf(request)?.principal ?? (hasCredential ? yield* authenticator.authenticate(request) : undefined)
        return answerWith(yield* shown(principal, undefined))
      }
      if (!isOfOwnPage(request)) return yield* foreignPage(request)
      const session = yield* sessions.find(tokenOf(request) ?? "")
      const answer = answerWith(yield* shown(session?.principal, session))
      return session === undefined ? withoutCookie(answer, request, sessions.cookie) : answer
    })

    const logIn = Effect.fnUntraced(function* (request: Request) {
      if (!isOfOwnPage(request)) return yield* foreignPage(request)
      const given = yield* credentialOf(yield* readBody(request))
      const who = yield* logins.withCredential(request, given)
      const token = yield* sessions.begin(who, tokenOf(request))
      const session = yield* sessions.find(token)
      if (session === undefined) return yield* new Unauthorized({})
      const answer = answerWith(yield* shown(session.principal, session))
      return withCookie(answer, sessions.cookie, token, isSecure(request))
    })

    const logOut = Effect.fnUntraced(function* (request: Request) {
      if (!isOfOwnPage(request)) return yield* foreignPage(request)
      const token = tokenOf(request)
      if (token !== undefined) yield* sessions.end(token)
      const nobody = logins.schemes() === undefined ? anonymous : undefined
      return withoutCookie(answerWith(yield* shown(nobody, undefined)), request, sessions.cookie)
    })

    type Failures = Effect.Error<ReturnType<typeof read>> | Effect.Error<ReturnType<typeof logIn>>
    const answered =
      (handle: (request: Request) => Effect.Effect<HttpServerResponse.HttpServerResponse, Failures>) =>
      (request: Request) =>
        Effect.catch(handle(request), (error) =>
          error._tag === "Unauthorized" || error._tag === "LimitExceeded"
            ? refusal(authenticator, request, error)
            : HttpServerRespondable.toResponse(error)
        )

    yield* router.add("GET", path, answered(read))
    yield* router.add("POST", path, answered(logIn))
    yield* router.add("DELETE", path, answered(logOut))
  })
)

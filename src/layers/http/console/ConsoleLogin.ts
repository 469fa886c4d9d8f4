import { Effect, Option, Schema } from "effect"
import { HttpRouter, type HttpServerRequest, HttpServerRespondable, HttpServerResponse } from "effect/http"
import { BadRequest } from "../../../errors/BadRequest.ts"
import { ForeignOrigin } from "../../../errors/ForeignOrigin.ts"
import { Logins, OidcFailed } from "../../../services/access/Logins.ts"
import { Sessions } from "../../../services/access/Sessions.ts"
import { Refusals } from "../../../services/shared/security/Refusals.ts"
import { isHostOf } from "../guards/Browsers.ts"
import { hostOf, isSecure, mayBeginLogin, schemeOf } from "../guards/OwnPage.ts"
import { cookieNames, cookieOf, withCookie, withoutCookie } from "../guards/SessionCookie.ts"
import { receivedOf } from "../server/NodeMessages.ts"

type Request = HttpServerRequest.HttpServerRequest
type Answer = HttpServerResponse.HttpServerResponse

const path = "/console/login/oidc"
export const paths = [path, `${path}/callback`]
const callback = "console/login/oidc/callback"

/** Seconds that a user has to log in at the issuer, and maximum number of logins that a browser may have pending. */
const begunSeconds = 600
const mostBegun = 4

const Begun = Schema.fromJsonString(
  Schema.Struct({
    issuer: Schema.String,
    redirectUri: Schema.String,
    state: Schema.String,
    nonce: Schema.String,
    verifier: Schema.String,
    returnTo: Schema.String
  })
)
const decodeBegun = Schema.decodeUnknownOption(Begun)

const queryOf = ({ originalUrl }: Request): URLSearchParams => {
  const at = originalUrl.indexOf("?")
  return new URLSearchParams(at === -1 ? "" : originalUrl.slice(at + 1))
}

const addressOf = (request: Request): string => Option.getOrElse(request.remoteAddress, () => "")

/**
 * The page of the console to which a login returns, with its query and without `console/`. Empty when the text leads
 * anywhere else.
 */
export const ownPageOf = (text: string): string => {
  const url = URL.parse(text, "http://own/console/")
  if (url?.origin !== "http://own" || !url.pathname.startsWith("/console/") || text.length > 2048) return ""
  return url.pathname.slice("/console/".length) + url.search
}

const misplaced = (detail: string) => new BadRequest({ detail, issues: [{ part: "query", pointer: "/at", detail }] })

/**
 * The address at which the browser sees the gateway. Only its page knows the prefix that a proxy has removed, and,
 * where the proxy is not trusted, the scheme. The host must be the one of the request.
 */
const baseOf = (request: Request, at: string | null): string | BadRequest => {
  const scheme = schemeOf(request)
  const url = URL.parse(at ?? `${scheme ?? "http"}://${hostOf(request)}/`)
  if (url === null || !/^https?:$/.test(url.protocol) || !url.pathname.endsWith("/")) {
    return misplaced("Expected the address of the gateway as its page has it, such as https://flow.example.com/flow/")
  }
  if (!isHostOf(url, hostOf(request)) || (scheme !== undefined && url.protocol !== `${scheme}:`)) {
    return misplaced(`This is not the address that the browser has asked: ${JSON.stringify(url.origin)}`)
  }
  return url.origin + url.pathname
}

/** Relative, because only the browser knows the prefix that a proxy has removed. */
const toConsole = (up: string, page: string): Answer =>
  HttpServerResponse.empty({ status: 302, headers: { location: up + page || "./", "cache-control": "no-store" } })

/**
 * `/console/login/oidc`: begins a login at an issuer (OpenID Connect, authorization code with PKCE), and its callback
 * ends it. Both lead the browser on: to the issuer, to the page from which it came, or to the console's page of failures.
 * What the login needs is kept in a cookie of the browser that has begun it.
 */
export const layer = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const logins = yield* Logins
    const sessions = yield* Sessions
    const refusals = yield* Refusals
    const beginning = `${sessions.cookie}-login-`
    const cookieFor = (state: string) => beginning + state.slice(0, 8)

    const fail = (up: string) => (failure: OidcFailed) =>
      Effect.succeed(toConsole(up, `login?problem=${failure.reason}`))

    const begin = Effect.fnUntraced(function* (request: Request) {
      if (!mayBeginLogin(request)) {
        return yield* HttpServerRespondable.toResponse(
          new ForeignOrigin({ detail: "A page of another site may not begin a login" })
        )
      }
      const query = queryOf(request)
      const base = baseOf(request, query.get("at"))
      if (typeof base !== "string") return yield* HttpServerRespondable.toResponse(base)
      const started = logins.beginOidc(query.get("issuer") ?? "", base + callback, addressOf(request))
      return yield* Effect.matchEffect(started, {
        onFailure: fail("../"),
        onSuccess: ({ url, begun }) => {
          const kept = { ...begun, returnTo: ownPageOf(query.get("return") ?? "") }
          const value = Buffer.from(JSON.stringify(kept)).toString("base64url")
          const options = { sameSite: "lax", seconds: begunSeconds } as const
          const headers = { location: url, "cache-control": "no-store" }
          const former = cookieNames(request, beginning).slice(0, -(mostBegun - 1))
          return Effect.succeed(
            former.reduce(
              (answer, name) => withoutCookie(answer, request, name),
              withCookie(
                HttpServerResponse.empty({ status: 302, headers }),
                cookieFor(begun.state),
                value,
                base.startsWith("https:"),
                options
              )
            )
          )
        }
      })
    })

    /** Records a failed login in the audit, like a wrong password, although the answer is a redirection. */
    const note = (request: Request, { reason }: OidcFailed) =>
      Effect.sync(() => {
        if (reason !== "refused" && reason !== "denied" && reason !== "expired") return
        refusals.note({
          tenant: undefined,
          principal: undefined,
          action: "sessions.begin",
          target: `${path}/callback`,
          outcome: "refused",
          status: 401,
          requestId: receivedOf(request)?.requestId ?? "",
          remote: Option.getOrNull(request.remoteAddress),
          isHidden: false
        })
      })

    const end = Effect.fnUntraced(function* (request: Request) {
      const query = queryOf(request)
      const state = query.get("state") ?? ""
      const name = cookieFor(state)
      const kept = decodeBegun(Buffer.from(cookieOf(request, name)?.value ?? "", "base64url").toString())
      const ended = Effect.gen(function* () {
        if (Option.isNone(kept)) return yield* new OidcFailed({ reason: "expired" })
        const { returnTo, ...begun } = kept.value
        const who = yield* logins.endOidc(begun, query.toString(), addressOf(request))
        const token = yield* sessions.begin(who, cookieOf(request, sessions.cookie)?.value)
        const secure = isSecure(request) || begun.redirectUri.startsWith("https:")
        return withCookie(toConsole("../../", ownPageOf(returnTo)), sessions.cookie, token, secure)
      })
      const answer = yield* ended.pipe(
        Effect.tapErrorTag("OidcFailed", (failure) => note(request, failure)),
        Effect.catchTag("OidcFailed", fail("../../")),
        Effect.catchTag("StorageUnreachable", HttpServerRespondable.toResponse)
      )
      return withoutCookie(answer, request, name)
    })

    yield* router.add("GET", path, begin)
    yield* router.add("GET", `/${callback}`, end)
  })
)

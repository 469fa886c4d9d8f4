import { type HttpServerRequest, HttpServerResponse } from "effect/http"
import { receivedOf } from "../server/NodeMessages.ts"
import { schemeOf } from "./OwnPage.ts"

type Request = HttpServerRequest.HttpServerRequest
type Answer = HttpServerResponse.HttpServerResponse

/**
 * Over TLS this prefix prevents other hosts of the domain from setting the cookie (RFC 6265bis, section 4.1.3.2). It
 * requires the path `/`. Browsers reject it without TLS.
 */
const prefix = "__Host-"

/** The values of all cookies of the name. */
const valuesOf = (request: Request, name: string): ReadonlyArray<string> => {
  const text = request.headers["cookie"]
  if (text?.includes(name) !== true) return []
  return text.split(";").flatMap((pair) => {
    const [key = "", ...value] = pair.split("=")
    return key.trim() === name ? [value.join("=").trim()] : []
  })
}

interface Found {
  readonly name: string
  readonly value: string
}

/**
 * The cookie of a request, with or without the prefix; only with it if the request came over TLS. If there are two of
 * one name, neither counts, because nobody knows which one the gateway set.
 */
export const cookieOf = (request: Request, name: string): Found | undefined => {
  for (const full of schemeOf(request) === "https" ? [prefix + name] : [prefix + name, name]) {
    const [value, ...others] = valuesOf(request, full)
    if (value !== undefined) return { name: full, value: others.length === 0 ? value : "" }
  }
  return undefined
}

/** Whether a session is the request's credential: any other credential takes precedence. */
export const usesSession = (request: Request, name: string): boolean =>
  request.headers["authorization"] === undefined &&
  request.headers["x-api-key"] === undefined &&
  receivedOf(request)?.principal === undefined &&
  cookieOf(request, name) !== undefined

/** The names of the request's cookies that begin with `beginning`, without the prefix. */
export const cookieNames = (request: Request, beginning: string): ReadonlyArray<string> =>
  (request.headers["cookie"] ?? "").split(";").flatMap((pair) => {
    const name = pair.split("=", 1)[0]!.trim()
    const plain = name.startsWith(prefix) ? name.slice(prefix.length) : name
    return plain.startsWith(beginning) ? [plain] : []
  })

const attributes = (isSecure: boolean, sameSite: "strict" | "lax") =>
  ({ httpOnly: true, path: "/", sameSite, secure: isSecure }) as const

/**
 * Sets a cookie that expires when the browser closes, or after some seconds. `lax` cookies are also sent when a link of
 * another site leads here, as on the way back from an issuer.
 */
export const withCookie = (
  response: Answer,
  name: string,
  value: string,
  isSecure: boolean,
  { sameSite = "strict", seconds }: { readonly sameSite?: "strict" | "lax"; readonly seconds?: number } = {}
): Answer =>
  HttpServerResponse.setCookieUnsafe(response, isSecure ? prefix + name : name, value, {
    ...attributes(isSecure, sameSite),
    ...(seconds !== undefined && { maxAge: `${seconds} seconds` })
  })

/** Deletes a cookie of the request in the browser. */
export const withoutCookie = (response: Answer, request: Request, name: string): Answer => {
  const found = cookieOf(request, name)
  if (found === undefined) return response
  const options = { ...attributes(found.name.startsWith(prefix), "strict"), maxAge: "0 seconds" } as const
  return HttpServerResponse.setCookieUnsafe(response, found.name, "", options)
}

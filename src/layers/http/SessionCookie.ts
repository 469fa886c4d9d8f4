import { type HttpServerRequest, HttpServerResponse } from "effect/http"
import { Received } from "./NodeMessages.ts"
import { schemeOf } from "./OwnPage.ts"

type Request = HttpServerRequest.HttpServerRequest
type Answer = HttpServerResponse.HttpServerResponse

/**
 * Over TLS the prefix keeps other hosts of the domain from setting the cookie (RFC 6265bis, section 4.1.3.2). It needs
 * the path `/`. Browsers refuse it without TLS.
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
 * The cookie of a request, with or without the prefix; only with it where the request came over TLS. Of two with one
 * name nobody knows which one the gateway has set: they are none.
 */
export const cookieOf = (request: Request, name: string): Found | undefined => {
  for (const full of schemeOf(request) === "https" ? [prefix + name] : [prefix + name, name]) {
    const [value, ...others] = valuesOf(request, full)
    if (value !== undefined) return { name: full, value: others.length === 0 ? value : "" }
  }
  return undefined
}

/** Whether a session is the credential of the request: any other one goes before it. */
export const usesSession = (request: Request, name: string): boolean =>
  request.headers["authorization"] === undefined &&
  request.headers["x-api-key"] === undefined &&
  !(request.source instanceof Received && request.source.principal !== undefined) &&
  cookieOf(request, name) !== undefined

/** The names of the request's cookies that begin so, without their prefix. */
export const cookieNames = (request: Request, beginning: string): ReadonlyArray<string> =>
  (request.headers["cookie"] ?? "").split(";").flatMap((pair) => {
    const name = pair.split("=", 1)[0]!.trim()
    const plain = name.startsWith(prefix) ? name.slice(prefix.length) : name
    return plain.startsWith(beginning) ? [plain] : []
  })

const attributes = (isSecure: boolean, sameSite: "strict" | "lax") =>
  ({ httpOnly: true, path: "/", sameSite, secure: isSecure }) as const

/**
 * Sets a cookie that ends with the browser, or after some seconds. `lax` cookies come with links of other sites, too,
 * which the way back from an issuer is.
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

/** Takes a cookie of the request away from the browser. */
export const withoutCookie = (response: Answer, request: Request, name: string): Answer => {
  const found = cookieOf(request, name)
  if (found === undefined) return response
  const options = { ...attributes(found.name.startsWith(prefix), "strict"), maxAge: "0 seconds" } as const
  return HttpServerResponse.setCookieUnsafe(response, found.name, "", options)
}

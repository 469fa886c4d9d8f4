import { Predicate } from "effect"
import { HttpServerResponse } from "effect/http"

const text = (members: object, name: string): string | undefined =>
  Predicate.hasProperty(members, name) && (typeof members[name] === "string" || typeof members[name] === "number")
    ? String(members[name])
    : undefined

const quoted = (value: string | undefined) => (value === undefined ? "" : ` "${value}"`)

/** Default details of problems that have none, by the slug of their type. */
const sentences: Record<string, (members: object) => string> = {
  "not-found": (members) => {
    if (text(members, "kind") === "route") return "There is no endpoint at this path; GET /docs lists all endpoints"
    const tenant = text(members, "tenant")
    const of = tenant === undefined ? "" : ` of the tenant "${tenant}"`
    return `There is no ${text(members, "kind") ?? "such object"}${quoted(text(members, "id"))}${of}`
  },
  "directory-read": (members) => `The path${quoted(text(members, "path"))} is a folder, which has no content`,
  "storage-unreachable": (members) => `The ${text(members, "storage")} storage did not answer in time`,
  "too-large": (members) => {
    const limit = text(members, "limit")
    return limit === undefined ? "The request is too large" : `The limit ${limit} is ${text(members, "value")}`
  },
  unauthorized: () => "The request has no valid credentials",
  "tenant-suspended": (members) =>
    `The tenant${quoted(text(members, "tenant"))} is suspended: it can be read, but nothing is changed or started`,
  forbidden: (members) => `This needs the role ${text(members, "role")}`,
  "limit-exceeded": (members) =>
    `The limit ${text(members, "limit")} of ${text(members, "key")} is ${text(members, "value")}, and this would make ${text(members, "used")}`,
  "queue-full": (members) => {
    const whose = `executions of the tenant${quoted(text(members, "tenant"))}`
    return `${text(members, "value")} ${whose} are already waiting, which is the limit ${text(members, "limit")}`
  },
  "too-many": (members) => `The limit ${text(members, "limit")} is ${text(members, "value")}`,
  "idempotency-key-reused": () => "The idempotency key belongs to another request; each new request needs a new key",
  "range-not-satisfiable": (members) => `The range lies outside the ${text(members, "size")} bytes`,
  "method-not-allowed": () => "The path does not support this method; the Allow header lists the supported methods"
}

/** The default detail of a problem: one sentence about what happened. */
export const detailOf = (members: object): string => {
  const slug = (text(members, "type") ?? "").replace("/problems/", "")
  return sentences[slug]?.(members) ?? text(members, "title") ?? "The request failed"
}

export const problemType = "application/problem+json"

/** The problems that no endpoint declares, by status. Each slug has a page in the documentation. */
const general: Record<number, readonly [slug: string, title: string]> = {
  400: ["bad-request", "Bad request"],
  404: ["not-found", "Not found"],
  408: ["request-timeout", "The request took too long"],
  413: ["too-large", "Too large"],
  415: ["unsupported-media-type", "Unsupported media type"],
  417: ["bad-request", "Bad request"],
  429: ["limit-exceeded", "Limit exceeded"],
  431: ["headers-too-large", "Request header fields too large"],
  500: ["internal-error", "Internal error"],
  501: ["bad-request", "Bad request"],
  503: ["unavailable", "The gateway is shutting down or overloaded"]
}

/** The members of a problem that consists of its status and an optional detail. */
export const generalProblem = (status: number, detail?: string) => {
  const [slug, title] = general[status] ?? (status < 500 ? general[400]! : general[500]!)
  return { type: `/problems/${slug}`, title, status, ...(detail === undefined ? {} : { detail }) }
}

/** Seconds after which a request is worth another try, by the slug of its problem's type. */
const retryAfter = new Map([
  ["/problems/queue-full", "5"],
  ["/problems/unavailable", "1"]
])

/** Trace ids of problems by their Node request, for the access log. */
export const traceIds = new WeakMap<object, string>()

const decoder = new TextDecoder()

/** The members of the problem that a response already is, or that its status stands for. */
export const membersOf = (response: HttpServerResponse.HttpServerResponse): Record<string, unknown> => {
  if (response.body._tag === "Uint8Array") {
    const text = decoder.decode(response.body.body)
    if (response.body.contentType.startsWith(problemType)) {
      const members: unknown = JSON.parse(text)
      if (Predicate.isObject(members)) return { ...members }
    }
    if (response.status === 415) return generalProblem(415, text)
  }
  return generalProblem(response.status)
}

/** The response as a problem with `instance` (the requested path) and the ids of the request. */
export const asProblem = (
  response: HttpServerResponse.HttpServerResponse,
  all: Record<string, unknown>,
  instance: string,
  ids: { readonly traceId: string; readonly requestId: string }
): HttpServerResponse.HttpServerResponse => {
  const { type, title, status, detail = detailOf(all), ...members } = all
  const pause = text(members, "retryAfter") ?? retryAfter.get(String(type))
  return HttpServerResponse.jsonUnsafe(
    { type, title, status, detail, instance, ...members, ...ids },
    {
      status: response.status,
      cookies: response.cookies,
      headers: {
        ...(pause === undefined ? {} : { "retry-after": pause }),
        ...response.headers,
        "content-type": problemType,
        "x-trace-id": ids.traceId,
        "cache-control": "no-store"
      }
    }
  )
}

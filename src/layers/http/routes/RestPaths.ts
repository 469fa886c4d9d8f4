import type { HttpServerRequest } from "effect/http"
import type { RouteTable } from "./RouteTable.ts"

const patternOf = (segments: ReadonlyArray<string>): string =>
  segments.map((segment) => (segment.startsWith("{") ? "/[^/?]+" : `/${segment.replace(/\W/g, "\\$&")}`)).join("")

/**
 * Matches the part of a path before a tail that may span segments, including the slash. Their common beginning is
 * matched only once, because every request passes here.
 */
const beforeTail = (tails: RouteTable["tails"]): RegExp => {
  const [first = []] = tails
  const other = first.findIndex((segment, at) => tails.some((tail) => tail[at] !== segment))
  const shared = other === -1 ? first.length : other
  const rests = new Set(tails.map((tail) => patternOf(tail.slice(shared))))
  return tails.length === 0 ? /(?!)/ : new RegExp(`^${patternOf(first.slice(0, shared))}(?:${[...rests].join("|")})/`)
}

/**
 * The path for the router. In a tail that may span segments, plain slashes are encoded; `;` is encoded too, because the
 * router would end the path there.
 */
const routedPath = (before: RegExp, url: string): string => {
  const query = url.indexOf("?")
  let path = query === -1 ? url : url.slice(0, query)
  const head = before.exec(path)?.[0]
  if (head !== undefined) path = head + path.slice(head.length).replaceAll("/", "%2F")
  if (path.includes(";")) path = path.replaceAll(";", "%3B")
  return query === -1 ? path : path + url.slice(query)
}

/** The path and query of a request as the router reads them. */
export const routedUrls = (table: RouteTable) => {
  const before = beforeTail(table.tails)
  return (url: string): string => routedPath(before, url)
}

/** Accepts plain slashes in the path of a file, which are easier to type with curl: the request as the router reads it. */
export const restPaths = (table: RouteTable) => {
  const routed = routedUrls(table)
  return (request: HttpServerRequest.HttpServerRequest): HttpServerRequest.HttpServerRequest => {
    const url = routed(request.url)
    return url === request.url ? request : request.modify({ url })
  }
}

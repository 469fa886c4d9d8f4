import { Effect } from "effect"
import { HttpRouter, HttpServerRequest } from "effect/http"
import type { RouteTable } from "./RouteTable.ts"

/** Matches the part of a path before a tail that may span segments, including the slash. */
const beforeTail = (tails: RouteTable["tails"]): RegExp => {
  const heads = tails.map((segments) =>
    segments.map((segment) => (segment.startsWith("{") ? "/[^/?]+" : `/${segment.replace(/\W/g, "\\$&")}`)).join("")
  )
  return heads.length === 0 ? /(?!)/ : new RegExp(`^(?:${heads.join("|")})/`)
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

/** Accepts plain slashes in the path of a file, which are easier to type with curl. */
export const layer = (table: RouteTable) => {
  const before = beforeTail(table.tails)
  return HttpRouter.middleware(
    (httpEffect) =>
      HttpServerRequest.HttpServerRequest.use((request) => {
        const url = routedPath(before, request.url)
        if (url === request.url) return httpEffect
        return Effect.provideService(httpEffect, HttpServerRequest.HttpServerRequest, request.modify({ url }))
      }),
    { global: true }
  )
}

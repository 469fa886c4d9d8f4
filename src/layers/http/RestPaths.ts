import { Effect } from "effect"
import { HttpRouter, HttpServerRequest } from "effect/http"
import type { RouteTable } from "./RouteTable.ts"

/** Matches what comes before a tail that may span segments, with the slash behind it. */
const beforeTail = (tails: RouteTable["tails"]): RegExp => {
  const heads = tails.map((segments) =>
    segments.map((segment) => (segment.startsWith("{") ? "/[^/?]+" : `/${segment.replace(/\W/g, "\\$&")}`)).join("")
  )
  return heads.length === 0 ? /(?!)/ : new RegExp(`^(?:${heads.join("|")})/`)
}

/**
 * The path as the router must see it. Bare slashes in a tail that may span segments are encoded, and so is `;`, which
 * the router would take for the end of the path.
 */
const routedPath = (before: RegExp, url: string): string => {
  const query = url.indexOf("?")
  let path = query === -1 ? url : url.slice(0, query)
  const head = before.exec(path)?.[0]
  if (head !== undefined) path = head + path.slice(head.length).replaceAll("/", "%2F")
  if (path.includes(";")) path = path.replaceAll(";", "%3B")
  return query === -1 ? path : path + url.slice(query)
}

/** Lets people with curl write the slashes of a file's path as they are. */
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

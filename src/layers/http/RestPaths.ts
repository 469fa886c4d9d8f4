import { Effect } from "effect"
import { HttpRouter, HttpServerRequest } from "effect/http"
import type { RouteTable } from "./RouteTable.ts"

const isParameter = (segment: string) => segment.startsWith("{")

/** Length of the path part of `url` that the segments match, with the slash behind it, or -1. */
const matched = (segments: ReadonlyArray<string>, path: string): number => {
  let position = 0
  for (const segment of segments) {
    if (path[position] !== "/") return -1
    const next = path.indexOf("/", position + 1)
    if (next === -1) return -1
    if (next === position + 1 || (!isParameter(segment) && path.slice(position + 1, next) !== segment)) return -1
    position = next
  }
  return position + 1
}

/**
 * The path as the router must see it. Bare slashes in a tail that may span segments are encoded, and so is `;`, which
 * the router would take for the end of the path.
 */
const routedPath = (tails: RouteTable["tails"], url: string): string => {
  const query = url.indexOf("?")
  let path = query === -1 ? url : url.slice(0, query)
  for (const segments of tails) {
    const start = matched(segments, path)
    if (start === -1) continue
    const tail = path.slice(start)
    if (tail.includes("/")) path = path.slice(0, start) + tail.replaceAll("/", "%2F")
    break
  }
  if (path.includes(";")) path = path.replaceAll(";", "%3B")
  return query === -1 ? path : path + url.slice(query)
}

/** Lets people with curl write the slashes of a file's path as they are. */
export const layer = (table: RouteTable) =>
  HttpRouter.middleware(
    (httpEffect) =>
      Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => {
        const url = routedPath(table.tails, request.url)
        if (url === request.url) return httpEffect
        return Effect.provideService(httpEffect, HttpServerRequest.HttpServerRequest, request.modify({ url }))
      }),
    { global: true }
  )

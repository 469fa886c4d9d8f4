import { Effect } from "effect"
import { HttpRouter, HttpServerError, HttpServerRequest } from "effect/http"
import type { RouteTable } from "./RouteTable.ts"

/** The router's own error for no route, which the layers around it turn into a 405. */
const noRoute = HttpServerRequest.HttpServerRequest.use((request) =>
  Effect.fail(new HttpServerError.HttpServerError({ reason: new HttpServerError.RouteNotFound({ request }) }))
)

/**
 * Answers the methods that a path lacks ({@link RouteTable.lacking}); the router would pass them to another path whose
 * parameter matches its words.
 */
export const layer = (table: RouteTable) =>
  HttpRouter.use((router) =>
    Effect.forEach(table.lacking, ({ method, path }) => router.add(method, path, noRoute), { discard: true })
  )

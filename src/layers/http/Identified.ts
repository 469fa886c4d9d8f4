import { Context, Effect, Option } from "effect"
import { HttpServerRequest } from "effect/http"
import { CurrentRequestId } from "../../services/shared/RequestId.ts"
import { Received } from "./NodeMessages.ts"

/**
 * Tells handlers, and the log, the id of the request, and handlers of a request through a trusted proxy the address of
 * the client and the scheme that it has used.
 */
export const identified = <A, E, R>(
  app: Effect.Effect<A, E, R>
): Effect.Effect<A, E, R | HttpServerRequest.HttpServerRequest> =>
  HttpServerRequest.HttpServerRequest.use((request) => {
    const { source } = request
    if (!(source instanceof Received)) return app
    const { requestId, forwarded } = source
    return Effect.updateContext(app, (context: Context.Context<R | HttpServerRequest.HttpServerRequest>) => {
      const named = Context.add(context, CurrentRequestId, requestId)
      if (forwarded === undefined) return named
      const { client, protocol } = forwarded
      const modified = request.modify({ remoteAddress: Option.some(client), ...(protocol && { protocol }) })
      return Context.add(named, HttpServerRequest.HttpServerRequest, modified)
    })
  })

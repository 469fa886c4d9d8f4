import { Context, Effect, Option } from "effect"
import { HttpServerRequest } from "effect/http"
import { Received } from "./NodeMessages.ts"

/** Tells handlers of a request through a trusted proxy the address of the client and the scheme that it has used. */
export const identified = <A, E, R>(
  app: Effect.Effect<A, E, R>
): Effect.Effect<A, E, R | HttpServerRequest.HttpServerRequest> =>
  HttpServerRequest.HttpServerRequest.use((request) => {
    const { source } = request
    if (!(source instanceof Received) || source.forwarded === undefined) return app
    const { client, protocol } = source.forwarded
    const modified = request.modify({ remoteAddress: Option.some(client), ...(protocol && { protocol }) })
    return Effect.updateContext(app, (context: Context.Context<R | HttpServerRequest.HttpServerRequest>) =>
      Context.add(context, HttpServerRequest.HttpServerRequest, modified)
    )
  })

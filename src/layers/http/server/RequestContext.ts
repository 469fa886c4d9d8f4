import { Context, Effect, Layer, type Scope } from "effect"
import { HttpServer } from "effect/http"
import { sendingBlobs } from "./SentBlob.ts"

// A request copies the services around its handler once or twice, which took a fifth of the processor time of a small
// request. Handlers take their services when they are built, so a request needs hardly any.

/** Services that are only used to build layers, never by a request. */
const forBuilding = new Set([
  "effect/Layer/CurrentMemoMap",
  "effect/FileSystem",
  "effect/Path",
  "~effect/Stdio",
  "effect/Terminal",
  "effect/process/ChildProcessSpawner",
  "effect/http/HttpPlatform",
  "effect/http/Etag/Generator",
  "effect/http/HttpServer",
  "effect/http/HttpRouter",
  "effect/sql/SqlClient",
  "effect/cluster/MessageStorage",
  "effect/cluster/Runners",
  "effect/cluster/Sharding",
  "@effect/sql-pg/PgClient"
])

const feature = /^flow(?:-gateway)?\/(\w+)\//

const without =
  (features: ReadonlySet<string>) =>
  <R>(context: Context.Context<R>): Context.Context<R> => {
    const kept = new Map<string, unknown>()
    for (const [key, service] of context.mapUnsafe) {
      const ours = feature.exec(key)
      if (ours === null ? !forBuilding.has(key) : features.has(ours[1]!)) kept.set(key, service)
    }
    return Context.makeUnsafe(kept)
  }

/**
 * Builds handlers in a context without the gateway's own services, except for the shared ones and those of the given
 * features (the second part of a service key).
 */
export const withFewServices = <A, E, R>(layer: Layer.Layer<A, E, R>, features: ReadonlyArray<string>) => {
  const trim = without(new Set(["shared", "http", ...features]))
  return Layer.fromBuild<A, E, R>((memoMap, scope) =>
    Effect.updateContext(Layer.buildWithMemoMap(layer, memoMap, scope), (context: Context.Context<R>) => trim(context))
  )
}

/** A server whose requests start without the gateway's services. */
export const serverWithFewServices = Layer.effect(
  HttpServer.HttpServer,
  Effect.map(HttpServer.HttpServer, (server) => {
    const trim = without(new Set())
    return HttpServer.make({
      address: server.address,
      serve: (app, middleware) =>
        Effect.updateContext(
          server.serve(sendingBlobs(middleware === undefined ? app : middleware(app))),
          (context: Context.Context<Scope.Scope>) => trim(context)
        )
    })
  })
)

import { Context, Effect, Layer, type Scope } from "effect"
import { HttpServer } from "effect/http"

// A request copies the services around its handler once or twice, which showed as a fifth of a small request's
// processor time. Handlers take their services when they are built, so at request time hardly any are needed.

/** Services that are there for the building of layers and of no use to a request. */
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
 * Builds handlers in a context that holds of our services only those of these features (the second part of their keys)
 * and the shared ones.
 */
export const lean = <A, E, R>(layer: Layer.Layer<A, E, R>, features: ReadonlyArray<string>) => {
  const trim = without(new Set(["shared", "http", ...features]))
  return Layer.fromBuild<A, E, R>((memoMap, scope) =>
    Effect.updateContext(Layer.buildWithMemoMap(layer, memoMap, scope), (context: Context.Context<R>) => trim(context))
  )
}

/** A server whose requests start with none of our services. */
export const leanServer = Layer.effect(
  HttpServer.HttpServer,
  Effect.map(HttpServer.HttpServer, (server) => {
    const trim = without(new Set())
    return HttpServer.make({
      address: server.address,
      serve: (app, middleware) =>
        Effect.updateContext(
          server.serve(middleware === undefined ? app : middleware(app)),
          (context: Context.Context<Scope.Scope>) => trim(context)
        )
    })
  })
)

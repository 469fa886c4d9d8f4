import { Effect, Layer, Scope } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { type HttpApi, type HttpApiGroup, HttpApiScalar } from "effect/http-api"

const path = "/docs"

/**
 * Options of the viewer that turn off everything that calls its vendor: fonts, cloud client, assistant, usage
 * statistics.
 */
const viewer = {
  withDefaultFonts: false,
  favicon: "data:,",
  hideClientButton: true,
  showDeveloperTools: "never",
  telemetry: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  customCss: 'a[href^="https://www.scalar.com"], a[href^="https://scalar.com"] { display: none !important; }'
}

/** Lets the page load and call nothing but this gateway, whatever the viewer tries. */
const policy = [
  "default-src 'none'",
  "script-src 'unsafe-inline'",
  "style-src 'unsafe-inline'",
  "img-src 'self' data: blob:",
  "font-src data:",
  "connect-src 'self'",
  "worker-src blob:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'"
].join("; ")

/**
 * `/docs`: an interactive page of the API description. It is built on the first request because it contains megabytes
 * of text for browsers.
 */
export const layer = <Id extends string, Groups extends HttpApiGroup.Constraint>(api: HttpApi.HttpApi<Id, Groups>) =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const router = yield* HttpRouter.HttpRouter
      const scope = yield* Effect.scope
      const made = HttpRouter.toHttpEffect(HttpApiScalar.layer(api, { path, scalar: viewer })).pipe(
        Effect.provideService(Scope.Scope, scope)
      )
      // The first client may disconnect; that must not fail the others that wait.
      const page = yield* Effect.cached(Effect.uninterruptible(made))
      const answer = Effect.map(Effect.flatten(page), HttpServerResponse.setHeader("content-security-policy", policy))
      yield* router.add("GET", path, answer)
    })
  )

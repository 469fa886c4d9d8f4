import { Effect, Metric } from "effect"
import { HttpRouter, HttpServerRespondable, HttpServerResponse } from "effect/http"
import * as PrometheusMetrics from "effect/observability/PrometheusMetrics"
import { Forbidden } from "../../../errors/Forbidden.ts"
import { Authenticator } from "../../../services/access/Authenticator.ts"
import { Measurements, takeMeasurements } from "../../../services/shared/process/ObservableMetrics.ts"
import { everyTenant, hasRole, type Principal } from "../../../services/shared/security/Principal.ts"
import { authenticated } from "../guards/Authentication.ts"

/**
 * Descriptions of the metrics of Effect's cluster, which come without any. Those that are not listed are not shown:
 * they never change, or count in milliseconds.
 */
const clusterHelp = new Map([
  ["effect_cluster_entities", "Jobs and executions that the cluster has given to this gateway"],
  ["effect_cluster_runners_healthy", "1 while the cluster counts this gateway as alive, else 0"],
  ["effect_cluster_shards", "Shares of all executions and jobs that this gateway has"],
  ["effect_cluster_shards_releasing", "Shares that this gateway is giving away"]
])

/** The metrics that are shown, each with its description. */
const described = (registry: Metric.MetricRegistry): Metric.MetricRegistry =>
  new Map(
    [...registry].flatMap(([key, metric]) => {
      if (!metric.id.startsWith("effect_")) return [[key, metric] as const]
      const description = clusterHelp.get(metric.id)
      return description === undefined ? [] : [[key, { ...metric, description }] as const]
    })
  )

/**
 * `/metrics` in Prometheus' text format, for viewers of all tenants, because it contains tenants' names. Values that
 * have to be measured are measured at each request.
 */
export const layer = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const authenticator = yield* Authenticator
    const measurements = yield* Measurements
    const registry = yield* Metric.MetricRegistry
    const text = Effect.andThen(
      Effect.provideService(takeMeasurements(measurements), Metric.MetricRegistry, registry),
      Effect.suspend(() =>
        Effect.provideService(PrometheusMetrics.format(), Metric.MetricRegistry, described(registry))
      )
    )
    const contentType = "text/plain; version=0.0.4; charset=utf-8"
    const answer = Effect.map(text, (body) => HttpServerResponse.text(body, { contentType }))
    const forbidden = new Forbidden({ role: "viewer", detail: "This needs the role viewer for all tenants" })
    const mayRead = (principal: Principal) => hasRole(principal, everyTenant, "viewer")
    yield* router.add("GET", "/metrics", (request) =>
      authenticated(authenticator, request, (principal) =>
        mayRead(principal) ? answer : HttpServerRespondable.toResponse(forbidden)
      )
    )
  })
)

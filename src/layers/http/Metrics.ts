import { Effect, Metric } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import * as PrometheusMetrics from "effect/observability/PrometheusMetrics"
import { Measurements, takeMeasurements } from "../../services/shared/Observed.ts"

/**
 * What the metrics of Effect's cluster mean here: they come without a description. Those that are not listed are not
 * shown: they count what is always the same, or in milliseconds.
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

/** `/metrics` in Prometheus' text format. What has to be measured is measured for each reading. */
export const layer = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
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
    yield* router.add("GET", "/metrics", answer)
  })
)

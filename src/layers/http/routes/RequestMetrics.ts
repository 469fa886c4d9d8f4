import { type Context, Metric } from "effect"
import type { Exchange } from "./AccessLog.ts"

/** A separate metric per series: `Metric.withAttributes` would merge the attributes again for every request. */
const duration = (attributes: Record<string, string>) =>
  Metric.histogram("flow_http_request_duration_seconds", {
    description: "Time from the request head to the end of the response",
    attributes,
    boundaries: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60]
  })

const methods = new Set(["GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH"])

/**
 * Records exchanges by method, route template and status. Paths are not recorded: clients choose them, so their number
 * is unbounded.
 */
export const requestMetrics = (context: Context.Context<never>) => {
  const series = new Map<string, Metric.Histogram<number>>()
  return ({ method: given, status: code, milliseconds, began }: Exchange, route: string): void => {
    const method = methods.has(given) ? given : "other"
    const status = began ? String(code) : "aborted"
    const key = `${method} ${route} ${status}`
    let metric = series.get(key)
    if (metric === undefined) {
      metric = duration({ method, route, status })
      series.set(key, metric)
    }
    metric.updateUnsafe(milliseconds / 1000, context)
  }
}

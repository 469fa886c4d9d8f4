import { type Context, Metric } from "effect"
import type { Exchange } from "./AccessLog.ts"

/** A separate metric per series: `Metric.withAttributes` would merge the attributes again for every request. */
const duration = (attributes: Record<string, string>) =>
  Metric.histogram("flow_http_request_duration_seconds", {
    description: "Time from the request head to the end of the response",
    attributes,
    boundaries: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60]
  })

type Histogram = Metric.Histogram<number>

const methods = new Set(["GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH"])

const getOrAdd = <K, V>(map: Map<K, V>, key: K, make: () => V): V => {
  const found = map.get(key)
  if (found !== undefined) return found
  const made = make()
  map.set(key, made)
  return made
}

/**
 * Records exchanges by method, route template and status. Paths are not recorded: clients choose them, so their number
 * is unbounded.
 */
export const requestMetrics = (context: Context.Context<never>) => {
  const all = new Map<string, Map<string, Map<number, Histogram>>>()
  return ({ method: given, status: code, milliseconds, began }: Exchange, route: string): void => {
    const method = methods.has(given) ? given : "other"
    // Looked up part by part: a key of all three would have to be made for every request.
    const ofRoute = getOrAdd(all, route, () => new Map<string, Map<number, Histogram>>())
    const ofMethod = getOrAdd(ofRoute, method, () => new Map<number, Histogram>())
    const status = began ? code : 0
    const metric = getOrAdd(ofMethod, status, () =>
      duration({ method, route, status: began ? String(code) : "aborted" })
    )
    metric.updateUnsafe(milliseconds / 1000, context)
  }
}

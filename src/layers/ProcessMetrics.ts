import { readdirSync } from "node:fs"
import { type Context, Effect, Layer, Metric } from "effect"
import { packageVersion } from "../drivers/Package.ts"
import { observeCounter, observeGauge } from "../services/shared/process/ObservableMetrics.ts"

const build = Metric.gauge("flow_build_info", {
  description: "Always 1; the labels name the version of the gateway and of Node",
  attributes: { version: packageVersion, node: process.versions.node }
})

const delay = Metric.histogram("flow_event_loop_delay_seconds", {
  description: "How much later than asked a timer fires, looked at ten times a second",
  boundaries: [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
})

/** Milliseconds between two measurements of the event loop's delay. */
const lookMillis = 100

/**
 * Measures how late timers fire. One histogram serves several readers; each sees the time since its own last reading.
 */
const watchDelay = Effect.contextWith((context: Context.Context<never>) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      let due = performance.now() + lookMillis
      const look = () => {
        const now = performance.now()
        delay.updateUnsafe(Math.max(0, now - due) / 1000, context)
        due = now + lookMillis
      }
      return setInterval(look, lookMillis).unref()
    }),
    (timer) => Effect.sync(() => clearInterval(timer))
  )
)

/** Files, sockets and pipes that this process holds open; NaN where the system does not tell. */
const openFiles = (): number => {
  try {
    return readdirSync("/proc/self/fd").length
  } catch {
    return Number.NaN
  }
}

const cpuSeconds = (): number => {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1_000_000
}

/**
 * Metrics of the gateway's version and of its process. Names that begin with `process_` are those that all exporters
 * use.
 */
export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const startedAt = performance.timeOrigin / 1000
    yield* Metric.update(build, 1)
    yield* watchDelay
    const gauge = (name: string, description: string, read: () => number) => observeGauge(name, { description }, read)
    const counter = (name: string, description: string, read: () => number) =>
      observeCounter(name, { description }, read)
    yield* counter("flow_event_loop_active_seconds_total", "Time in which the event loop worked", () => {
      return performance.eventLoopUtilization().active / 1000
    })
    yield* counter("flow_event_loop_idle_seconds_total", "Time in which the event loop had nothing to do", () => {
      return performance.eventLoopUtilization().idle / 1000
    })
    yield* counter("process_cpu_seconds_total", "Processor time of the gateway, without its runs", cpuSeconds)
    yield* gauge("process_start_time_seconds", "When the process started, in seconds since 1970", () => startedAt)
    yield* gauge("process_resident_memory_bytes", "Memory of the gateway, without its runs", process.memoryUsage.rss)
    yield* gauge("process_open_fds", "Files, sockets and pipes that the gateway holds open", openFiles)
    yield* gauge("flow_heap_used_bytes", "Memory of JavaScript objects", () => process.memoryUsage().heapUsed)
    yield* gauge(
      "flow_external_memory_bytes",
      "Memory of buffers outside the heap",
      () => process.memoryUsage().external
    )
  })
)

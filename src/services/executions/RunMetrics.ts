import { Effect, Metric } from "effect"

const running = Metric.gauge("flow_executions_running", { description: "Runs that this gateway has under way" })
const ended = Metric.counter("flow_executions_ended_total", {
  description: "Executions that ended here, by runtime and state",
  incremental: true
})
const duration = Metric.histogram("flow_execution_duration_seconds", {
  description: "Time from the start of a run's process to its end",
  boundaries: [0.1, 0.5, 1, 5, 10, 30, 60, 300, 900, 3600]
})

/** Counts an effect in a gauge for as long as it lasts. */
const during =
  (gauge: Metric.Gauge<number>) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>) =>
    Effect.acquireUseRelease(
      Metric.modify(gauge, 1),
      () => effect,
      () => Metric.modify(gauge, -1)
    )

/** What the supervisor tells about its runs. */
export const runMetrics = () => ({
  running: during(running),
  ended: (runtime: string, state: string, startedAt: number | undefined) =>
    Effect.andThen(
      Metric.update(Metric.withAttributes(ended, { runtime, state }), 1),
      startedAt === undefined
        ? Effect.void
        : Metric.update(Metric.withAttributes(duration, { runtime }), (performance.now() - startedAt) / 1000)
    )
})

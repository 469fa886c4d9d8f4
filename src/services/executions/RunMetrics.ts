import { Effect, Metric } from "effect"
import type { Outcome } from "../../nodes/flowline/Outcome.ts"
import type { NodeCounters } from "../../protocol/RunProtocol.ts"
import { runtimes } from "../../protocol/Runtime.ts"
import { OutcomeWord } from "../runs/RunOutcome.ts"
import { EndState } from "./Execution.ts"

const running = Metric.gauge("flow_executions_running", { description: "Active runs of this gateway" })
const ended = Metric.counter("flow_executions_ended_total", {
  description: "Executions that ended on this gateway, by runtime and state",
  incremental: true
})
const outcomes = Metric.counter("flow_executions_outcome_total", {
  description: "Executions that succeeded on this gateway, by runtime and outcome (ok, warnings, nothing)",
  incremental: true
})
const records = Metric.counter("flow_execution_records_total", {
  description: "Records of executions that ended on this gateway, by runtime and what became of them",
  incremental: true
})
const reloads = Metric.counter("flow_execution_reloads_total", {
  description:
    "Changed tables of lookups in executions that ended on this gateway, by runtime and outcome (read, failed)",
  incremental: true
})
const duration = Metric.histogram("flow_execution_duration_seconds", {
  description: "Duration of the process of a run",
  boundaries: [0.1, 0.5, 1, 5, 10, 30, 60, 300, 900, 3600]
})

/** Adds one to a gauge while an effect runs. */
const during =
  (gauge: Metric.Gauge<number>) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>) =>
    Effect.acquireUseRelease(
      Metric.modify(gauge, 1),
      () => effect,
      () => Metric.modify(gauge, -1)
    )

/** The metrics of runs. */
export const runMetrics = {
  /** Prometheus sees an increase only between two samples, so that the first failure needs a 0 before it. */
  begin: Effect.forEach(
    runtimes.flatMap((runtime) => [
      ...EndState.literals.map((state) => Metric.withAttributes(ended, { runtime, state })),
      ...OutcomeWord.literals.map((outcome) => Metric.withAttributes(outcomes, { runtime, outcome }))
    ]),
    (counter) => Metric.update(counter, 0),
    { discard: true }
  ),
  running: during(running),
  ended: (
    runtime: string,
    state: EndState,
    startedAt?: number,
    done?: Outcome,
    nodes: ReadonlyArray<NodeCounters> = []
  ) =>
    Effect.all(
      [
        Metric.update(Metric.withAttributes(ended, { runtime, state }), 1),
        ...(startedAt === undefined
          ? []
          : [Metric.update(Metric.withAttributes(duration, { runtime }), (performance.now() - startedAt) / 1000)]),
        ...(state === "SUCCEEDED" && done !== undefined
          ? [Metric.update(Metric.withAttributes(outcomes, { runtime, outcome: done.outcome }), 1)]
          : []),
        ...Object.entries(done?.counts ?? {}).map(([what, count]) =>
          Metric.update(Metric.withAttributes(records, { runtime, what }), count)
        ),
        ...nodes.flatMap(({ reloads: read = 0, failedReloads: failed = 0 }) =>
          Object.entries({ read, failed }).map(([outcome, count]) =>
            Metric.update(Metric.withAttributes(reloads, { runtime, outcome }), count)
          )
        )
      ],
      { discard: true }
    )
}

import { Effect, Metric } from "effect"
import { catalogue } from "../../nodes/Catalogue.ts"
import type { Outcome } from "../../nodes/flowline/Outcome.ts"
import { componentOf, type Flowline } from "../../protocol/Flowline.ts"
import type { NodeCounters } from "../../protocol/RunProtocol.ts"
import { OutcomeWord } from "../runs/RunOutcome.ts"
import type { JobKey, JobStatus } from "./Job.ts"

const running = Metric.gauge("flow_job_running", { description: "1 while the job runs in this gateway, else 0" })
const restarts = Metric.counter("flow_job_restarts_total", {
  description: "Runs of the job that failed here and were followed by another one",
  incremental: true
})
const recordsIn = Metric.gauge("flow_job_records_in", { description: "Records that the job's current run has read" })
const recordsOut = Metric.gauge("flow_job_records_out", { description: "Records that its outputs have taken" })
const lag = Metric.gauge("flow_job_lag_bytes", { description: "Bytes that its followed inputs have not read yet" })
const dropped = Metric.gauge("flow_job_records_dropped", {
  description: "Records that nodes such as filters have not passed on"
})
const outcomes = Metric.gauge("flow_job_outcome", {
  description: "1 for what the job's current run has done so far (ok, warnings, nothing), else 0"
})
const errors = Metric.gauge("flow_job_errors", { description: "Records that its nodes have rejected" })
const replaced = Metric.gauge("flow_job_replaced_bytes", {
  description: "Bytes that the encodings of its inputs do not have, and that became U+FFFD"
})
const reloads = Metric.gauge("flow_job_reloads", {
  description: "Changed tables of lookups in the job's current run, by outcome (read, failed)"
})

export interface JobMetrics {
  readonly status: (status: JobStatus) => Effect.Effect<void>
  readonly counters: (
    flowline: Flowline,
    nodes: ReadonlyArray<NodeCounters>,
    outcome: Outcome | undefined
  ) => Effect.Effect<void>
  readonly restarted: Effect.Effect<void>
  /** This gateway no longer runs the job. Its counters stay, so that a failed job differs from one that never ran. */
  readonly gone: Effect.Effect<void>
}

/** The metrics of a job, with the labels tenant, channel, cluster and job. */
export const jobMetrics = ({ tenant, channel, cluster, job }: JobKey): JobMetrics => {
  const attributes = { tenant, channel, cluster, job }
  const set = (gauge: Metric.Gauge<number>, value: number) =>
    Metric.update(Metric.withAttributes(gauge, attributes), value)
  return {
    // A restart is seen as an increase only if its counter was 0 before.
    status: (status) =>
      Effect.andThen(
        set(running, status === "ACTIVE" ? 1 : 0),
        Metric.update(Metric.withAttributes(restarts, attributes), 0)
      ),
    counters: (flowline, nodes, outcome) => {
      const kinds = new Map(flowline.dag.map((node) => [componentOf(node), catalogue.get(node.type)?.kind]))
      const sum = (count: (node: NodeCounters) => number, kind?: string) =>
        nodes.reduce(
          (total, node) => (kind === undefined || kinds.get(node.component) === kind ? total + count(node) : total),
          0
        )
      return Effect.all(
        [
          set(
            recordsIn,
            sum((node) => node.recordsOut, "input")
          ),
          set(
            recordsOut,
            sum((node) => node.recordsIn, "output")
          ),
          set(
            lag,
            sum((node) => node.lag ?? 0)
          ),
          set(
            errors,
            sum((node) => node.errors)
          ),
          set(
            dropped,
            sum((node) => node.dropped ?? 0)
          ),
          ...OutcomeWord.literals.map((word) =>
            Metric.update(
              Metric.withAttributes(outcomes, { ...attributes, outcome: word }),
              outcome?.outcome === word ? 1 : 0
            )
          ),
          ...(["reloads", "failedReloads"] as const).map((name) =>
            Metric.update(
              Metric.withAttributes(reloads, { ...attributes, outcome: name === "reloads" ? "read" : "failed" }),
              sum((node) => node[name] ?? 0)
            )
          ),
          set(
            replaced,
            sum((node) => node.replacedBytes ?? 0)
          )
        ],
        { discard: true }
      )
    },
    restarted: Metric.update(Metric.withAttributes(restarts, attributes), 1),
    gone: set(running, 0)
  }
}

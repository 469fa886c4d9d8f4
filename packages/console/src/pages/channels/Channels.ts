import type { gateway } from "../../app/gateway.ts"
import { channels as t } from "../../texts/en.ts"

export type Detail = Awaited<ReturnType<typeof gateway.channels.status>>
export type Job = Detail["jobs"][number]
export type Files = Readonly<Record<string, string>>

type Tone = "good" | "bad" | "warn" | "busy" | "plain"

const tones: Readonly<Record<string, Tone>> = {
  STOPPED: "plain",
  STARTING: "busy",
  ACTIVE: "good",
  RESTARTING: "warn",
  DEGRADED: "warn",
  FAILED: "bad",
  INVALID: "bad",
  FINISHED: "good"
}

export const toneOf = (status: string): Tone => tones[status] ?? "plain"

/** The name of a job within its channel: `local/parse` of `apache/local/parse`. */
export const jobName = ({ name }: Pick<Job, "name">): string => name.slice(name.indexOf("/") + 1)

export const partsOf = (job: Pick<Job, "name" | "cluster">) => ({
  cluster: job.cluster,
  job: jobName(job).slice(job.cluster.length + 1)
})

/** Milliseconds as a countdown. */
const until = (at: string, now: number): string => {
  const left = Date.parse(at) - now
  return left <= 0 ? t.now : t.inTime(left)
}

/** The reasons for a job's state, in sentences. */
export const whyOf = (job: Job, now: number): string => {
  const { status, desired, lastError, nextRun, failures = [], reasons = [] } = job
  const error = lastError ?? failures.at(-1)?.error ?? ""
  const sentences = [
    job.task === "" ? t.why.gone : "",
    desired === "STOPPED" && status !== "STOPPED" && status !== "FAILED" && status !== "FINISHED" ? t.why.stopping : "",
    status === "STOPPED" && desired === "ACTIVE" ? t.why.suspended : "",
    status === "STOPPED" && desired === "STOPPED" && job.since !== null ? t.why.stopped : "",
    status === "STOPPED" && job.since === null ? t.why.never : "",
    status === "STARTING" ? t.why.starting : "",
    status === "ACTIVE" && nextRun !== null ? t.why.scheduled(until(nextRun, now)) : "",
    status === "RESTARTING" ? (nextRun === null ? t.why.silent : t.why.restarting(until(nextRun, now))) : "",
    status === "FAILED" ? t.why.failed : "",
    status === "FINISHED" ? t.why.finished : "",
    (status === "RESTARTING" || status === "FAILED") && error !== "" ? error : "",
    status === "ACTIVE" || status === "FINISHED" ? reasons.join("; ") : ""
  ]
  return sentences.filter((one) => one !== "").join(" ")
}

/** The sums of the counters of a job's nodes. */
export const countsOf = ({ nodes, counts }: Job) => {
  const lags = nodes.flatMap(({ lag }) => (lag === undefined ? [] : [lag]))
  return {
    lag: lags.length === 0 ? undefined : lags.reduce((sum, one) => sum + one, 0),
    read: counts?.read,
    written: counts?.written,
    rejected: counts?.rejected ?? nodes.reduce((sum, { errors }) => sum + errors, 0)
  }
}

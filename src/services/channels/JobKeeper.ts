import { Clock, Context, Cron, Effect, Hash, Layer, Result, Schedule, Stream } from "effect"
import type { StorageUnreachable } from "../../errors/StorageUnreachable.ts"
import type { NodeCounters, RunMessage } from "../../protocol/Message.ts"
import { Archives } from "../archives/Archives.ts"
import { Engine, failureOf } from "../runs/Engine.ts"
import { Gateway } from "../runs/Gateway.ts"
import { patiently } from "../runs/Patiently.ts"
import { PositionStore } from "../runs/PositionStore.ts"
import { Provision } from "../runs/Provision.ts"
import { Signals } from "../runs/Signals.ts"
import { ChannelFolders, type ChannelJob, issueText } from "./ChannelFolders.ts"
import { type JobKey, jobId, jobScope } from "./Job.ts"
import { type JobMetrics, jobMetrics } from "./JobMetrics.ts"
import { type JobChange, JobStore, type Tenure, type Wished } from "./JobStore.ts"

/** Another tenure has begun, or the job is to stop: what this one still says does not count. */
class Superseded {
  readonly _tag = "Superseded"
}

/** How a run of the job ended. `abandoned`: its gateway had been silent, which is nothing that the job has done. */
type Outcome = { readonly error: string | undefined; readonly abandoned?: boolean }

/** Milliseconds between two signs of life. */
const beat = 2000
/** Milliseconds that the last word of an interrupted tenure may take. */
const farewell = 3000
const hour = 3_600_000

/** Names a run of the job, and its archive. The hash tells jobs apart whose names look the same when they are joined. */
const runIdOf = (key: JobKey, at: number): string => {
  const name = [key.channel, key.cluster, key.job].join("-").replace(/[^A-Za-z0-9_-]/g, "_")
  return `${name.slice(0, 100)}-${(Hash.string(jobScope(key)) >>> 0).toString(36)}-${at}`
}

/** Keeps a job going: one run after the other, as its channel's structure says. */
export class JobKeeper extends Context.Service<
  JobKeeper,
  {
    /**
     * Does what is wished of the job in this generation: runs it until it has come to its end, or sees to it that it is
     * known as stopped. Returns when nothing is left to do. Interrupting it ends the run, which may then go on elsewhere.
     */
    readonly keep: (job: Wished) => Effect.Effect<void>
    /** Tells followers in this process that a job has said something, by its id. */
    readonly signals: Signals
  }
>()("flow/channels/JobKeeper") {
  static readonly layer = Layer.effect(
    JobKeeper,
    Effect.gen(function* () {
      const store = yield* JobStore
      const folders = yield* ChannelFolders
      const provision = yield* Provision
      const positions = yield* PositionStore
      const archives = yield* Archives
      const engine = yield* Engine
      const gateway = yield* Gateway
      const signals = new Signals()

      const current = (written: Effect.Effect<boolean, StorageUnreachable>) =>
        Effect.flatMap(patiently(written), (reached) => (reached ? Effect.void : Effect.fail(new Superseded())))

      /** One run, from its file to its end. */
      const attempt = Effect.fnUntraced(function* (
        tenure: Tenure,
        job: ChannelJob,
        progress: Progress
      ): Effect.fn.Return<Outcome, Superseded | StorageUnreachable> {
        const { tenant } = tenure
        const flowline = yield* folders.flowline(tenant, job)
        if (Result.isFailure(flowline)) {
          const { file, issues } = flowline.failure
          return { error: issues.map((issue) => `${file}: ${issueText(issue)}`).join("\n") }
        }
        const provisions = yield* provision.of(tenant, flowline.success.flowline)
        if (Result.isFailure(provisions)) return { error: provisions.failure }
        const id = runIdOf(tenure, yield* Clock.currentTimeMillis)
        let outcome: Outcome = { error: "the run said nothing of its end" }
        const record = Effect.fnUntraced(function* (message: RunMessage) {
          switch (message._tag) {
            case "Started":
              yield* current(store.change(tenure, { status: "ACTIVE", jobId: message.jobId }))
              return yield* progress.metrics.status("ACTIVE")
            case "Output": {
              const lines = message.lines.map((line) => ({ seq: ++progress.lines, ...line }))
              return lines.length === 0 ? undefined : yield* current(store.output(tenure, lines))
            }
            case "Counters":
              progress.nodes = message.nodes
              return yield* progress.metrics.counters(flowline.success.flowline, message.nodes)
            case "Positions":
              return yield* current(store.position(tenure, message.component, message.value))
            case "Archived": {
              const { sha256, size, entries } = message
              yield* current(store.beat(tenure, undefined))
              return yield* patiently(archives.add(tenant, { id, flowlineId: jobScope(tenure), sha256, size, entries }))
            }
            case "Ended":
              outcome = {
                error: message.outcome === "succeeded" ? undefined : failureOf(message),
                ...(message.abandoned === true ? { abandoned: true } : {})
              }
          }
        })
        const scope = jobScope(tenure)
        const spec = {
          tenant,
          executionId: id,
          epoch: tenure.epoch,
          flowline: flowline.success.flowline,
          ...provisions.success,
          scope,
          lasting: job.schedule === undefined,
          positions: yield* positions.load(tenant, scope)
        }
        yield* engine.run(spec).pipe(
          Stream.runForEach((message) =>
            Effect.andThen(
              record(message),
              Effect.sync(() => signals.changed(jobId(tenure)))
            )
          )
        )
        return outcome
      })

      const definitionOf = Effect.fnUntraced(function* ({ tenant, channel, cluster, job }: JobKey) {
        const { jobs, issues, file } = yield* folders.read(tenant, channel)
        if (issues[0] !== undefined) return `${file}: ${issueText(issues[0])}`
        return (
          jobs.find((other) => other.name === job && other.cluster === cluster) ??
          `${file}: there is no job ${cluster}/${job} any more`
        )
      })

      /** What nobody has thought of is told to the operators, and ends a run like any other failure. */
      const baffled = (key: JobKey) => (defect: unknown) =>
        Effect.as(Effect.logError(`job ${jobId(key)}`, defect), "the gateway could not follow the run")

      /** Runs the job again and again, until it has come to its end or may not be tried any more. */
      const tend = Effect.fnUntraced(function* (tenure: Tenure, progress: Progress) {
        const change = (change: JobChange) =>
          Effect.tap(current(store.change(tenure, change)), () =>
            Effect.andThen(
              progress.metrics.status(change.status),
              Effect.sync(() => signals.changed(jobId(tenure)))
            )
          )
        let { nextAt, restarts } = tenure
        // On a busy machine the run of a killed gateway may go on for a moment.
        if (tenure.previous !== null) yield* engine.gone(tenure.previous)
        let failures = tenure.failures
        /** Failures in a row, each soon after its start. */
        let inARow = 0
        for (;;) {
          const job = yield* definitionOf(tenure).pipe(
            Effect.orElseSucceed(() => "the configuration cannot be read"),
            Effect.catchDefect(baffled(tenure))
          )
          const definition = typeof job === "string" ? undefined : job
          if (definition?.schedule !== undefined) {
            nextAt ??= Cron.next(definition.schedule, yield* Clock.currentTimeMillis).getTime()
            yield* change({ status: "ACTIVE", nextAt })
            yield* Effect.sleep(Math.max(0, nextAt - (yield* Clock.currentTimeMillis)))
          } else yield* change({ status: "STARTING" })
          const begun = yield* Clock.currentTimeMillis
          const outcome: Outcome =
            definition === undefined
              ? { error: String(job) }
              : yield* attempt(tenure, definition, progress).pipe(
                  Effect.catchTag("StorageUnreachable", ({ storage }) =>
                    Effect.succeed<Outcome>({ error: `the ${storage} storage cannot be reached` })
                  ),
                  Effect.catchDefect((defect) => Effect.map(baffled(tenure)(defect), (error): Outcome => ({ error })))
                )
          const now = yield* Clock.currentTimeMillis
          if (outcome.error === undefined) {
            if (definition?.schedule === undefined) return yield* change({ status: "FINISHED" })
            // What was missed meanwhile is made up for by one run at once.
            // A timer may be early, and a clock may be set back: the same time is not due twice.
            nextAt = Cron.next(definition.schedule, Math.max(begun, nextAt ?? 0)).getTime()
            inARow = 0
            continue
          }
          const { initial, max, perHour } = definition?.restart ?? { initial: 1000, max: 60_000, perHour: 20 }
          if (outcome.abandoned === true) {
            yield* change({ status: "STARTING" })
            yield* Effect.sleep(initial)
            continue
          }
          const lastError = outcome.error
          failures = [...failures.filter((at) => at > now - hour), now].slice(-perHour - 1)
          if (failures.length > perHour) return yield* change({ status: "FAILED", lastError, failures })
          restarts++
          yield* change({ status: "RESTARTING", lastError, failures, restarts })
          yield* progress.metrics.restarted
          if (now - begun >= max) inARow = 0
          yield* Effect.sleep(Math.min(initial * 2 ** Math.min(inARow++, 30), max))
          if (nextAt !== undefined) nextAt = yield* Clock.currentTimeMillis
        }
      })

      const beats = (tenure: Tenure, progress: Progress) =>
        Effect.suspend(() =>
          store.beat(tenure, progress.nodes === undefined ? undefined : JSON.stringify(progress.nodes))
        ).pipe(
          // A database that is away for a while ends no run: nobody else can begin one meanwhile.
          Effect.orElseSucceed(() => true),
          Effect.filterOrFail(
            (goesOn) => goesOn,
            () => new Superseded()
          ),
          Effect.delay(beat),
          Effect.forever
        )

      const keep = Effect.fn("JobKeeper.keep")(function* (job: Wished) {
        const tenure = yield* patiently(store.claim(job, gateway.name))
        if (tenure === undefined) return yield* patiently(store.stopped(job))
        const metrics = jobMetrics(job)
        const progress: Progress = { lines: tenure.lines, nodes: undefined, metrics }
        yield* Effect.raceFirst(tend(tenure, progress), beats(tenure, progress)).pipe(
          Effect.catchTag("Superseded", () => Effect.void),
          Effect.onInterrupt(() =>
            store
              .release(tenure)
              .pipe(Effect.retry(Schedule.spaced(250)), Effect.timeoutOption(farewell), Effect.ignore)
          ),
          Effect.ensuring(metrics.gone)
        )
      })

      return JobKeeper.of({ keep, signals })
    })
  )
}

/** What the runs of a tenure have said. */
interface Progress {
  lines: number
  nodes: ReadonlyArray<NodeCounters> | undefined
  readonly metrics: JobMetrics
}

import { Context, Effect, Layer, Schedule, Stream } from "effect"
import type { Conflict } from "../../errors/Conflict.ts"
import type { InvalidChannel } from "../../errors/InvalidChannel.ts"
import type { LimitExceeded } from "../../errors/LimitExceeded.ts"
import { NotFound } from "../../errors/NotFound.ts"
import type { Overloaded } from "../../errors/Overloaded.ts"
import type { StorageUnreachable } from "../../errors/StorageUnreachable.ts"
import { stopAnswer, stopPoll } from "../../protocol/Liveness.ts"
import { Audit } from "../audit/Audit.ts"
import { LimitRefusals } from "../limits/LimitRefusals.ts"
import { TenantRules } from "../limits/TenantRules.ts"
import { type Commit, unkeyed } from "../shared/idempotency/Commit.ts"
import { followedPage, type StoredLine } from "../shared/reads/OutputLines.ts"
import type { TenantId } from "../shared/Tenant.ts"
import type { ChannelDetail, ChannelList } from "./Channel.ts"
import { views } from "./ChannelDetails.ts"
import { type ChannelFolder, ChannelFolders, type ChannelJob, invalidChannel, jobFaults } from "./ChannelFolders.ts"
import { type ChannelName, isUnderWay, type JobKey, type JobState, jobId, suspendedState } from "./Job.ts"
import { Jobs } from "./JobEntity.ts"
import { JobKeeper } from "./JobKeeper.ts"
import { type DesiredChange, type DesiredJob, JobStore } from "./JobStore.ts"

/** Number of lines that a client gets that names none. */
const lastLines = 1000

type Missing = NotFound | StorageUnreachable

/** A channel's folder, if it exists, and its jobs in the database. */
interface Known {
  readonly folder: ChannelFolder | undefined
  readonly states: ReadonlyArray<JobKey & JobState>
}

export class Channels extends Context.Service<
  Channels,
  {
    readonly list: (tenant: TenantId) => Effect.Effect<ChannelList, StorageUnreachable>
    readonly status: (tenant: TenantId, channel: ChannelName) => Effect.Effect<ChannelDetail, Missing>
    /** Starts, stops or restarts a channel. A stop returns when the runs have ended, or after ten seconds. */
    readonly act: (
      tenant: TenantId,
      channel: ChannelName,
      change: DesiredChange,
      commit?: Commit<ReadonlyArray<DesiredJob>>
    ) => Effect.Effect<void, Conflict | InvalidChannel | LimitExceeded | Missing | Overloaded>
    readonly actOnJob: (
      job: JobKey,
      change: DesiredChange,
      commit?: Commit<ReadonlyArray<DesiredJob>>
    ) => Effect.Effect<void, Conflict | InvalidChannel | LimitExceeded | Missing | Overloaded>
    /** The last lines of a job's output, or those after a sequence number. */
    readonly output: (
      job: JobKey,
      after: number | undefined
    ) => Effect.Effect<Stream.Stream<StoredLine, StorageUnreachable>, Missing>
    /** The lines of {@link output}, then later ones as they are printed. Does not end by itself. */
    readonly follow: (
      job: JobKey,
      after: number | undefined
    ) => Effect.Effect<Stream.Stream<ReadonlyArray<StoredLine>, StorageUnreachable>, Missing>
  }
>()("flow/channels/Channels") {
  static readonly layer = Layer.effect(
    Channels,
    Effect.gen(function* () {
      const folders = yield* ChannelFolders
      const store = yield* JobStore
      const jobs = yield* Jobs
      const rules = yield* TenantRules
      const refusals = yield* LimitRefusals
      const { signals } = yield* JobKeeper
      const audit = yield* Audit

      const statesOf = (tenant: TenantId, channel?: ChannelName) =>
        Effect.map(store.list(tenant, channel), (states) =>
          rules.isSuspended(tenant) ? states.map(suspendedState) : states
        )

      /** A channel exists while its folder exists or a job of it still runs. */
      const find = Effect.fn("Channels.find")(function* (tenant: TenantId, channel: ChannelName) {
        const names = yield* folders.names(tenant)
        const states = yield* statesOf(tenant, channel)
        const folder = names.includes(channel) ? yield* folders.read(tenant, channel) : undefined
        if (folder === undefined && !states.some(({ status }) => isUnderWay(status))) {
          return yield* new NotFound({ kind: "channel", tenant, id: channel })
        }
        return { folder, states } satisfies Known
      })

      const findJob = Effect.fn("Channels.findJob")(function* (key: JobKey) {
        const { tenant, channel, cluster, job } = key
        const { folder, states } = yield* find(tenant, channel)
        const defined = folder?.jobs.find((other) => other.cluster === cluster && other.name === job)
        const state = states.find((other) => other.cluster === cluster && other.job === job)
        if (defined === undefined && state === undefined) {
          return yield* new NotFound({ kind: "job", tenant, id: `${channel}/${cluster}/${job}` })
        }
        return { folder, defined, state }
      })

      /** Fails unless every job can run, before any of them is started. */
      const check = Effect.fn("Channels.check")(function* (
        tenant: TenantId,
        channel: ChannelName,
        folder: ChannelFolder | undefined,
        wanted: ReadonlyArray<ChannelJob>
      ) {
        const refuse = (issues: InvalidChannel["issues"]) => invalidChannel(tenant, channel, issues)
        if (folder === undefined) return yield* refuse([{ detail: "The channel's folder is gone" }])
        if (folder.issues.length > 0)
          return yield* refuse(folder.issues.map((issue) => ({ file: folder.file, ...issue })))
        const issues = yield* jobFaults(wanted, (job) => folders.flowline(tenant, channel, job))
        if (issues.length > 0) return yield* refuse(issues)
      })

      const requestChange = Effect.fn("Channels.requestChange")(function* (
        tenant: TenantId,
        about: { readonly action: string; readonly target: string },
        change: DesiredChange,
        keys: ReadonlyArray<JobKey>,
        commit: Commit<ReadonlyArray<DesiredJob>> = unkeyed
      ) {
        const target = `${about.target}/${change}`
        const [first] = keys
        const most = first === undefined ? undefined : rules.limitsOf(first.tenant).jobs.value
        const changed = store
          .requestChange(change, keys, most)
          .pipe(
            Effect.catchTag("TooManyJobs", ({ used }) =>
              refusals.refuse(first?.tenant ?? "", { limit: "jobs", value: most ?? 0, used })
            )
          )
        const told = yield* commit(audit.change(tenant, changed, () => ({ ...about, target, count: keys.length })))
        // The change is stored: jobs that the cluster cannot be told of now are told again by their recovery.
        yield* Effect.ignore(Effect.forEach(told, jobs.tell, { concurrency: 16, discard: true }))
        if (change !== "stop" || first === undefined) return
        const ids = new Set(keys.map(jobId))
        const states = store.list(first.tenant, first.channel)
        // Runs that outlast the wait are killed later, because the stop is stored. Jobs that were started again
        // meanwhile do not count.
        yield* states.pipe(
          Effect.filterOrFail(
            (all) => all.every((state) => state.desired || state.status === "STOPPED" || !ids.has(jobId(state))),
            () => "runs" as const
          ),
          Effect.retry({
            while: (error) => error === "runs",
            schedule: Schedule.spaced(stopPoll),
            times: stopAnswer / stopPoll
          }),
          Effect.catchIf(
            (error) => error === "runs",
            () => Effect.void
          )
        )
      })

      const startOf = (key: JobKey, after: number | undefined) =>
        after === undefined ? store.beforeLast(key, lastLines) : Effect.succeed(after)

      return Channels.of({
        list: Effect.fn("Channels.list")(function* (tenant) {
          const names = yield* folders.names(tenant)
          const states = yield* statesOf(tenant)
          const found = yield* Effect.forEach(names, (name) => folders.read(tenant, name), { concurrency: 8 })
          return views.list(tenant, found, states)
        }),
        status: Effect.fn("Channels.status")(function* (tenant, channel) {
          const { folder, states } = yield* find(tenant, channel)
          return views.detail(tenant, channel, folder, states)
        }),
        act: Effect.fn("Channels.act")(function* (tenant, channel, how, commit) {
          const { folder, states } = yield* find(tenant, channel)
          const about = { action: "channels.act", target: channel }
          if (how === "stop") return yield* requestChange(tenant, about, how, states)
          const wanted = folder?.jobs ?? []
          yield* check(tenant, channel, folder, wanted)
          yield* requestChange(
            tenant,
            about,
            how,
            wanted.map(({ cluster, name }) => ({ tenant, channel, cluster, job: name })),
            commit
          )
        }),
        actOnJob: Effect.fn("Channels.actOnJob")(function* (key, how, commit) {
          const { folder, defined, state } = yield* findJob(key)
          const { tenant, channel, cluster, job } = key
          const about = { action: "channels.actOnJob", target: `${channel}/jobs/${cluster}/${job}` }
          if (how === "stop") return yield* requestChange(tenant, about, how, state === undefined ? [] : [key])
          yield* check(key.tenant, key.channel, folder, defined === undefined ? [] : [defined])
          if (defined === undefined) return yield* new NotFound({ kind: "job", tenant: key.tenant, id: key.job })
          yield* requestChange(tenant, about, how, [key], commit)
        }),
        output: Effect.fn("Channels.output")(function* (key, after) {
          yield* findJob(key)
          return store.lines(key, yield* startOf(key, after))
        }),
        follow: Effect.fn("Channels.follow")(function* (key, after) {
          yield* findJob(key)
          const start = yield* startOf(key, after)
          return Stream.unwrap(
            Effect.map(signals.listen(jobId(key)), (wait) =>
              Stream.unfold(start, (last) =>
                Effect.gen(function* () {
                  const found = yield* store.linesAfter(key, last, followedPage)
                  if (found.length === 0) yield* wait
                  return [found, found.at(-1)?.seq ?? last] as const
                })
              )
            )
          )
        })
      })
    })
  )
}

import { expect } from "@effect/vitest"
import { Effect, Layer, Result, Stream } from "effect"
import { TestClock } from "effect/testing"
import type { Flowline } from "../../src/protocol/Flowline.ts"
import type { RunMessage } from "../../src/protocol/RunProtocol.ts"
import { ChannelFolders, type ChannelJob } from "../../src/services/channels/ChannelFolders.ts"
import { ClusterName, jobKey } from "../../src/services/channels/Job.ts"
import { JobKeeper } from "../../src/services/channels/JobKeeper.ts"
import { JobStore } from "../../src/services/channels/JobStore.ts"
import { Attempts } from "../../src/services/runs/Attempt.ts"
import { Engine } from "../../src/services/runs/Engine.ts"
import { Gateway } from "../../src/services/runs/Gateway.ts"
import { Provision } from "../../src/services/runs/Provision.ts"
import { TenantId } from "../../src/services/shared/Tenant.ts"
import * as ArchiveStoreMemory from "../memory/ArchiveStore.ts"
import * as JobStoreMemory from "../memory/JobStore.ts"
import * as PositionStoreMemory from "../memory/PositionStore.ts"
import * as ScheduleClockMemory from "../memory/ScheduleClock.ts"
import { testSettings } from "../support/gateway.ts"
import { openLimits } from "../support/open.ts"

export const second = 1000
export const key = jobKey("t/c/local/j")
export const flowline: Flowline = {
  runtime: "analytics",
  settings: {},
  dag: [{ type: "x", settings: {}, subscribe: [], publish: [] }]
}

/** The job without a schedule. */
export const continuous: ChannelJob = {
  name: key.job,
  cluster: key.cluster,
  runtime: "analytics",
  flowline: undefined,
  file: "channels/c/j.yaml",
  schedule: undefined,
  restart: { initial: 1000, max: 8000, perHour: 5 }
}

/** Starts the job and its keeper, with a stopped clock. */
export const started = Effect.gen(function* () {
  const store = yield* JobStore
  const keeper = yield* JobKeeper
  const [desiredJob] = yield* store.requestChange("start", [key])
  const fiber = yield* Effect.forkChild(keeper.keep(desiredJob!))
  yield* TestClock.adjust(0)
  const state = Effect.map(store.list(TenantId("t")), ([found]) => found!)
  return { store, keeper, fiber, state, desiredJob: desiredJob! }
})

/** A keeper whose runs last as long, and end, as `runs` returns for the number of the run, from 1. */
export const keeping = (
  runs: (run: number) => { readonly millis: number; readonly error?: string; readonly abandoned?: boolean },
  given: Partial<ChannelJob> = {},
  lingering = 0,
  jobs = { all: 1, each: 1 },
  folders: Partial<ChannelFolders["Service"]> = {}
) => {
  const starts: Array<number> = []
  const ids: Array<string> = []
  const works: Array<string | undefined> = []
  const left: Array<string> = []
  let under = 0
  const job: ChannelJob = { ...continuous, ...given }
  const elsewhere = { ...job, cluster: ClusterName("c-local") }
  const engine = Layer.succeed(Engine, {
    settle: () => Effect.succeed(Result.succeed(null)),
    gone: (jobId) =>
      Effect.andThen(
        Effect.sync(() => left.push(jobId)),
        Effect.sleep(lingering)
      ),
    run: ({ executionId, work }) =>
      Stream.unwrap(
        Effect.gen(function* () {
          const clock = yield* TestClock.testClockWith((clock) => clock.currentTimeMillis)
          starts.push(clock)
          ids.push(executionId)
          works.push(work)
          expect(++under).toBe(1)
          const { millis, error, abandoned = false } = runs(starts.length)
          const started: RunMessage = { _tag: "Started", jobId: "h:1", pid: 1, at: 0 }
          const end: RunMessage = {
            _tag: "Ended",
            at: 0,
            ...(error === undefined ? { outcome: "succeeded" } : { outcome: "failed", error, abandoned })
          }
          return Stream.make(started).pipe(
            Stream.concat(Stream.fromEffect(Effect.as(Effect.sleep(millis), end))),
            Stream.ensuring(Effect.sync(() => under--))
          )
        })
      )
  })
  const layer = JobKeeper.layer.pipe(
    Layer.provide([Attempts.layer, openLimits]),
    Layer.provideMerge(Layer.provideMerge(JobStoreMemory.layer, PositionStoreMemory.layer)),
    Layer.provide(ArchiveStoreMemory.layer),
    Layer.provide([
      engine,
      ScheduleClockMemory.layer,
      Layer.succeed(Gateway, { id: "g", name: "h:1", address: "h:1" }),
      testSettings({ data: "none", databaseUrl: "postgres://unused", jobs }),
      Layer.succeed(Provision, { of: () => Effect.succeed(Result.succeed({})) }),
      Layer.mock(ChannelFolders)({
        structure: () =>
          Effect.succeed({
            name: key.channel,
            file: "channels/c/channel_structure.yaml",
            issues: [],
            jobs: [job, elsewhere]
          }),
        flowline: () =>
          Effect.succeed(Result.succeed({ flowline, dag: "{}", value: {}, warnings: [], file: job.file })),
        ...folders
      })
    ])
  )
  return { starts, ids, works, left, layer }
}

import { expect, layer } from "@effect/vitest"
import { Effect, Fiber, Layer, Option, Result, Stream } from "effect"
import { SqlClient } from "effect/sql"
import * as ArchiveStorePostgres from "../../src/layers/postgres/stores/PostgresArchiveStore.ts"
import * as ExecutionStorePostgres from "../../src/layers/postgres/stores/PostgresExecutionStore.ts"
import * as JobStorePostgres from "../../src/layers/postgres/stores/PostgresJobStore.ts"
import * as PositionStorePostgres from "../../src/layers/postgres/stores/PostgresPositionStore.ts"
import type { RunMessage } from "../../src/protocol/RunProtocol.ts"
import { ArchiveId } from "../../src/services/archives/Archive.ts"
import { ArchiveStore } from "../../src/services/archives/ArchiveStore.ts"
import { jobKey } from "../../src/services/channels/Job.ts"
import { JobStore } from "../../src/services/channels/JobStore.ts"
import { type ExecutionKey, ExecutionStore } from "../../src/services/executions/ExecutionStore.ts"
import { Supervisor } from "../../src/services/executions/Supervisor.ts"
import { Attempts } from "../../src/services/runs/Attempt.ts"
import { Engine } from "../../src/services/runs/Engine.ts"
import { Gateway } from "../../src/services/runs/Gateway.ts"
import { PositionScope, PositionStore } from "../../src/services/runs/PositionStore.ts"
import { Provision } from "../../src/services/runs/Provision.ts"
import { FlowlineId } from "../../src/services/shared/FlowlineId.ts"
import { TenantId } from "../../src/services/shared/Tenant.ts"
import * as ArchiveStoreMemory from "../memory/ArchiveStore.ts"
import * as ExecutionStoreMemory from "../memory/ExecutionStore.ts"
import * as JobStoreMemory from "../memory/JobStore.ts"
import * as PositionStoreMemory from "../memory/PositionStore.ts"
import { testSettings } from "../support/gateway.ts"
import { openLimits } from "../support/open.ts"
import { TestPostgres } from "../support/postgres.ts"
import { until } from "../support/process.ts"
import { addVersion } from "../support/versions.ts"

const tenant = TenantId("t")
const dag = JSON.stringify({ runtime: "stream", settings: {}, dag: [{ type: "x", component: "x" }] })
const archived = (sha256: string): RunMessage => ({ _tag: "Archived", sha256, size: 1, entries: 1 })
const succeeded: RunMessage = { _tag: "Ended", outcome: "succeeded", at: 0 }
const failed: RunMessage = { _tag: "Ended", outcome: "failed", error: "boom", at: 0 }

/** The messages of the runs after their start; a run continues unless it has ended. The flowline names the script. */
const scriptsOf = (): Record<string, Array<ReadonlyArray<RunMessage>>> => ({
  taken: [[archived("old")], [archived("new"), succeeded]],
  bare: [[archived("old")], [succeeded]],
  cancelled: [[archived("old")]],
  failed: [[archived("old"), failed]]
})

const engine = (scripts: ReturnType<typeof scriptsOf>) =>
  Layer.mock(Engine)({
    run: ({ executionId }) => {
      const said = scripts[executionId.slice(0, executionId.lastIndexOf("-"))]?.shift() ?? []
      const started: RunMessage = { _tag: "Started", jobId: "h:1", pid: 1, at: 0 }
      // The position shows that the archive before it has been taken.
      const position: RunMessage = { _tag: "Positions", positions: { ["x"]: said.length }, files: {} }
      const hasEnded = said.some(({ _tag }) => _tag === "Ended")
      const messages = Stream.fromIterable([started, ...said, ...(hasEnded ? [] : [position])])
      return hasEnded ? messages : Stream.concat(messages, Stream.never)
    }
  })

const stores: Record<string, Layer.Layer<ArchiveStore | ExecutionStore | JobStore | PositionStore, unknown>> = {
  memory: Layer.mergeAll(ExecutionStoreMemory.layer, JobStoreMemory.layer).pipe(
    Layer.provideMerge(Layer.mergeAll(PositionStoreMemory.layer, ArchiveStoreMemory.layer))
  ),
  PostgreSQL: Layer.mergeAll(
    ExecutionStorePostgres.layer,
    JobStorePostgres.layer,
    PositionStorePostgres.layer,
    ArchiveStorePostgres.layer
  ).pipe(Layer.provideMerge(TestPostgres))
}

for (const [name, store] of Object.entries(stores)) {
  const services = Supervisor.layer.pipe(
    Layer.provide([Attempts.layer, openLimits]),
    Layer.provideMerge(store),
    Layer.provide([
      engine(scriptsOf()),
      Layer.succeed(Gateway, { id: "g", name: "h:1", address: "h:1" }),
      Layer.succeed(Provision, { of: () => Effect.succeed(Result.succeed({})) }),
      testSettings({ data: "none", databaseUrl: "postgres://unused", runs: { all: 9, each: 9 } })
    ])
  )

  layer(services, { excludeTestServices: true })(`the archive of an execution in ${name}`, (it) => {
    const begun = Effect.fnUntraced(function* (script: string) {
      const store = yield* ExecutionStore
      const execution = { tenant, flowlineId: FlowlineId(script), version: 1, runtime: "stream", dag }
      const database = yield* Effect.serviceOption(SqlClient.SqlClient)
      if (Option.isSome(database)) {
        yield* Effect.provideService(addVersion(tenant, script, dag), SqlClient.SqlClient, database.value)
      }
      return yield* store.create(execution, "g", Date.now())
    })
    const archiveOf = ({ id }: ExecutionKey) =>
      Effect.flatMap(ArchiveStore, (archives) => archives.get(tenant, ArchiveId(id)))
    /** Supervises until the archive is sealed and the run continues. */
    const sealed = Effect.fnUntraced(function* (key: ExecutionKey) {
      const supervisor = yield* Supervisor
      const fiber = yield* Effect.forkChild(supervisor.supervise(key))
      const positions = Effect.flatMap(PositionStore, (store) => store.load(tenant, PositionScope(key.id)))
      yield* until(positions, ({ x }) => x !== undefined)
      return fiber
    })

    it.effect("is that of the attempt that ended it, and appears with the end", () =>
      Effect.gen(function* () {
        const supervisor = yield* Supervisor
        const key = yield* begun("taken")
        const first = yield* sealed(key)
        expect(yield* archiveOf(key)).toBeUndefined()
        yield* Fiber.interrupt(first)
        expect(yield* archiveOf(key)).toBeUndefined()
        yield* supervisor.supervise(key)
        expect(yield* archiveOf(key)).toMatchObject({ id: key.id, flowlineId: "taken", sha256: "new" })
      })
    )

    it.effect("is none when only an earlier attempt, a cancelled or a failed run has sealed one", () =>
      Effect.gen(function* () {
        const store = yield* ExecutionStore
        const supervisor = yield* Supervisor
        const bare = yield* begun("bare")
        yield* Fiber.interrupt(yield* sealed(bare))
        yield* supervisor.supervise(bare)
        const cancelled = yield* begun("cancelled")
        const running = yield* sealed(cancelled)
        yield* store.cancel(cancelled)
        yield* supervisor.stop(cancelled)
        yield* Fiber.join(running)
        const failed = yield* begun("failed")
        yield* supervisor.supervise(failed)
        for (const [key, state] of [
          [bare, "SUCCEEDED"],
          [cancelled, "CANCELLED"],
          [failed, "FAILED"]
        ] as const) {
          expect((yield* store.state(key))?.state).toBe(state)
          expect(yield* archiveOf(key)).toBeUndefined()
        }
      })
    )

    it.effect("is refused together with the end of an attempt that is over", () =>
      Effect.gen(function* () {
        const store = yield* ExecutionStore
        const key = yield* begun("zombie")
        const claim = (yield* store.claim(key, "g"))!
        yield* store.claim(key, "h")
        const archive = { id: ArchiveId(key.id), flowlineId: "zombie", sha256: "old", size: 1, entries: 1 }
        const ending = { state: "SUCCEEDED", event: "end", error: undefined, nodes: undefined, archive } as const
        expect(yield* store.ended(claim, ending)).toBe(false)
        expect(yield* archiveOf(key)).toBeUndefined()

        const jobs = yield* JobStore
        const [job] = yield* jobs.requestChange("start", [jobKey("t/c/l/j")])
        const before = (yield* jobs.claim(job!, "h:1"))!
        const now = (yield* jobs.claim(job!, "h:2"))!
        const finished = { status: "FINISHED", archive: { ...archive, id: ArchiveId("job-1") } } as const
        expect(yield* jobs.change(before, finished)).toBe(false)
        const archives = yield* ArchiveStore
        expect(yield* archives.get(tenant, ArchiveId("job-1"))).toBeUndefined()
        expect(yield* jobs.change(now, finished)).toBe(true)
        expect(yield* archives.get(tenant, ArchiveId("job-1"))).toMatchObject({ sha256: "old" })
      })
    )
  })
}

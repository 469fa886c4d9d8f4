import { Effect, Layer, Stream } from "effect"
import { ArchiveStore } from "../../src/services/archives/ArchiveStore.ts"
import { JobStore } from "../../src/services/channels/JobStore.ts"
import { ExecutionStore } from "../../src/services/executions/ExecutionStore.ts"
import { UsageStore } from "../../src/services/limits/UsageStore.ts"
import { Shelves } from "./Resources.ts"

/** What the other stores in memory hold. */
export const layer = Layer.effect(
  UsageStore,
  Effect.gen(function* () {
    const executions = yield* ExecutionStore
    const jobs = yield* JobStore
    const archives = yield* ArchiveStore
    const shelves = yield* Shelves
    return UsageStore.of({
      of: Effect.fnUntraced(function* (tenant) {
        const started = (yield* jobs.list(tenant)).filter(
          ({ desired, status }) => desired && status !== "FAILED" && status !== "FINISHED"
        )
        const stored = yield* Stream.runCollect(archives.list(tenant, { after: undefined, limit: undefined }))
        const sizes = stored.map(({ json }) => (JSON.parse(json) as { readonly size: number }).size)
        const { bytes, entries } = shelves.of(tenant).usage()
        return {
          waitingExecutions: yield* executions.pending(tenant, Number.POSITIVE_INFINITY),
          jobs: started.length,
          archives: sizes.length,
          archiveBytes: sizes.reduce((sum, size) => sum + size, 0),
          storedVersions: entries,
          storedBytes: bytes
        }
      })
    })
  })
)

import { expect, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as JobStorePostgres from "../../src/layers/postgres/stores/PostgresJobStore.ts"
import { jobKey } from "../../src/services/channels/Job.ts"
import { type DesiredChange, JobStore } from "../../src/services/channels/JobStore.ts"
import { TenantId } from "../../src/services/shared/Tenant.ts"
import { TestPostgres } from "../support/postgres.ts"

const changes: ReadonlyArray<DesiredChange> = ["start", "stop", "restart"]
const jobs = Array.from({ length: 60 }, (_, index) => jobKey(`t/c/l/j${index}`))

layer(JobStorePostgres.layer.pipe(Layer.provide(TestPostgres)), { excludeTestServices: true })("many changes", (it) => {
  it.effect("of the same jobs at once, in any order, are all written down", () =>
    Effect.gen(function* () {
      const store = yield* JobStore
      yield* store.requestChange("start", jobs)
      const many = Array.from({ length: 150 }, (_, index) => {
        const from = (index * 17) % jobs.length
        const some = [...jobs.slice(from), ...jobs.slice(0, from)]
        return store.requestChange(changes[index % 3]!, index % 2 === 0 ? some : some.reverse())
      })
      yield* Effect.all(many, { concurrency: 10, discard: true })
      yield* store.requestChange("stop", jobs)
      expect((yield* store.list(TenantId("t"))).map(({ desired }) => desired)).toEqual(jobs.map(() => false))
    })
  )
})

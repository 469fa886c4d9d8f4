import { expect, layer } from "@effect/vitest"
import { Effect, Layer, Stream } from "effect"
import { SqlClient } from "effect/sql"
import * as ExecutionStorePostgres from "../../src/layers/postgres/stores/PostgresExecutionStore.ts"
import * as JobStorePostgres from "../../src/layers/postgres/stores/PostgresJobStore.ts"
import { jobKey } from "../../src/services/channels/Job.ts"
import { JobStore } from "../../src/services/channels/JobStore.ts"
import { ExecutionStore } from "../../src/services/executions/ExecutionStore.ts"
import { FlowlineId } from "../../src/services/shared/FlowlineId.ts"
import { TenantId } from "../../src/services/shared/Tenant.ts"
import { TestPostgres } from "../support/postgres.ts"
import { addVersion } from "../support/versions.ts"

const Stores = Layer.merge(ExecutionStorePostgres.layer, JobStorePostgres.layer).pipe(Layer.provideMerge(TestPostgres))

const tenant = TenantId("t")
/** One below the maximum of 32 bits. */
const nearly = 2 ** 31 - 2

layer(Stores, { excludeTestServices: true })("counters over 2^31", (it) => {
  it.effect("do not stop a job", () =>
    Effect.gen(function* () {
      const store = yield* JobStore
      const sql = yield* SqlClient.SqlClient
      const key = jobKey(`${tenant}/c/local/j`)
      yield* store.requestChange("start", [key])
      yield* sql`update channel_jobs set lines = ${nearly}, generation = ${nearly}, epoch = ${nearly}, restarts = ${nearly}`
      for (const turn of [1, 2, 3]) {
        const [asked] = yield* store.requestChange("restart", [key])
        const claim = (yield* store.claim(asked!, "host:1"))!
        expect(claim).toMatchObject({ generation: nearly + turn, epoch: nearly + turn, lines: nearly + turn - 1 })
        const line = { seq: claim.lines + 1, at: 1, component: "show", text: "x" }
        expect(yield* store.output(claim, [line])).toBe(true)
        expect(yield* store.change(claim, { status: "RESTARTING", restarts: nearly + turn })).toBe(true)
        const [found] = yield* store.list(tenant, undefined)
        expect(found).toMatchObject({ restarts: nearly + turn })
      }
      const lines = yield* Stream.runCollect(store.lines(key, nearly))
      expect(lines.map(({ seq }) => seq)).toEqual([nearly + 1, nearly + 2, nearly + 3])
      expect(JSON.parse(lines[2]!.json)).toMatchObject({ seq: nearly + 3 })
      const [stopping] = yield* store.requestChange("stop", [key])
      expect(stopping).toMatchObject({ generation: nearly + 4 })
    })
  )

  it.effect("do not stop an execution", () =>
    Effect.gen(function* () {
      const store = yield* ExecutionStore
      const sql = yield* SqlClient.SqlClient
      const given = { tenant, flowlineId: FlowlineId("f"), version: 1, runtime: "stream", dag: "{}" }
      yield* addVersion(tenant, "f")
      const key = yield* store.create(given, "owner", 1)
      yield* sql`update executions set lines = ${2 ** 31}`
      const attempt = (yield* store.claim(key, "owner"))!
      expect(attempt.lines).toBe(2 ** 31)
      yield* store.started(attempt, "host:1", "stream.application.start")
      expect(yield* store.output(attempt, [{ seq: 2 ** 31 + 1, at: 1, component: "show", text: "x" }])).toBe(true)
      const lines = yield* Stream.runCollect(store.lines(key, 2 ** 31))
      expect(lines.map(({ seq }) => seq)).toEqual([2 ** 31 + 1])
    })
  )
})

import { expect, layer } from "@effect/vitest"
import { Effect, Layer, Stream } from "effect"
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
const linesFrom = (first: number) =>
  Array.from({ length: 3 }, (_, index) => ({ seq: first + index, at: 1, component: "show", text: `${first + index}` }))
const texts = ["1", "2", "3", "4", "5", "6"]

// When a database freezes, it may execute a statement after the sender has given up and sent it again.
layer(Stores, { excludeTestServices: true })("writes that are made twice", (it) => {
  it.effect("count once for a job", () =>
    Effect.gen(function* () {
      const store = yield* JobStore
      const key = jobKey(`${tenant}/c/local/j`)
      const [desiredJob] = yield* store.requestChange("start", [key])
      const claim = (yield* store.claim(desiredJob!, "host:1"))!
      for (const first of [1, 1, 4, 4]) expect(yield* store.output(claim, linesFrom(first))).toBe(true)
      const lines = yield* Stream.runCollect(store.lines(key, 0))
      expect(lines.map(({ text }) => text)).toEqual(texts)
      // A repeated claim continues after the last line, and the previous one writes nothing any more.
      const again = (yield* store.claim(desiredJob!, "host:1"))!
      expect([again.lines, again.epoch]).toEqual([6, claim.epoch + 1])
      expect(yield* store.output(claim, linesFrom(7))).toBe(false)
    })
  )

  it.effect("count once for an execution", () =>
    Effect.gen(function* () {
      const store = yield* ExecutionStore
      const given = { tenant, flowlineId: FlowlineId("f"), version: 1, runtime: "stream", dag: "{}" }
      yield* addVersion(tenant, "f")
      const key = yield* store.create(given, "owner", 1)
      const attempt = (yield* store.claim(key, "owner"))!
      for (let twice = 0; twice < 2; twice++) {
        expect(yield* store.started(attempt, "host:1", "stream.application.start")).toBe(true)
      }
      for (const first of [1, 1, 4, 4]) expect(yield* store.output(attempt, linesFrom(first))).toBe(true)
      const next = (yield* store.claim(key, "owner"))!
      // An execution is lost after three starts, not after three repetitions of one start.
      expect([next.lines, next.attempts]).toEqual([6, 1])
      expect(yield* store.started(next, "host:2", "stream.application.start")).toBe(true)
      expect(yield* store.output(attempt, linesFrom(7))).toBe(false)
      const ending = { state: "SUCCEEDED", event: "stream.application.end", error: undefined, nodes: [] } as const
      expect(yield* store.ended(next, ending)).toBe(true)
      expect(yield* store.ended(next, ending)).toBe(false)
      const events = yield* Stream.runCollect(store.events(key, { limit: 10, after: undefined }))
      expect(events.length).toBe(2)
      const lines = yield* Stream.runCollect(store.lines(key, 0))
      expect(lines.map(({ text }) => text)).toEqual(texts)
    })
  )
})

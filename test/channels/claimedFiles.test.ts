import { expect, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import * as JobStorePostgres from "../../src/layers/postgres/stores/PostgresJobStore.ts"
import { jobKey } from "../../src/services/channels/Job.ts"
import { type JobClaim, JobStore } from "../../src/services/channels/JobStore.ts"
import { TestPostgres } from "../support/postgres.ts"

const paths = ["out/a.log"]
const place = (bytes: number) => ({ "out/a.log": { file: "1.2", bytes } })
const started = (name: string) =>
  Effect.gen(function* () {
    const store = yield* JobStore
    const [job] = yield* store.requestChange("start", [jobKey(`t/c/l/${name}`)])
    return (yield* store.claim(job!, "here"))!
  })
const stopped = (claim: JobClaim) =>
  Effect.gen(function* () {
    const store = yield* JobStore
    const [job] = yield* store.requestChange("stop", [claim])
    yield* store.stopped(job!)
  })
const claimed = (claim: JobClaim) => Effect.flatMap(JobStore, (store) => store.claimFiles(claim, paths))

const stores = JobStorePostgres.layer.pipe(Layer.provideMerge(TestPostgres))

layer(stores, { excludeTestServices: true })("the work of a job", (it) => {
  it.effect("is the same after a takeover, and another one after a start or a success", () =>
    Effect.gen(function* () {
      const store = yield* JobStore
      const sql = yield* SqlClient.SqlClient
      const first = yield* started("worker")
      yield* sql`update channel_jobs set heartbeat_at = now() - interval '1 hour', since = now() - interval '1 hour'`
      yield* sql`insert into gateways (id, host, pid, address, seen_at) values ('g', 'h', 1, 'h:1', now())`
      const [told] = yield* store.unattended([])
      expect(told?.generation).toBe(first.generation + 1)
      const second = (yield* store.claim(told!, "there"))!
      expect(second.work).toBe(first.work)
      // The write may be made twice.
      const succeeded = { status: "ACTIVE", work: second.work + 1, succeeded: true } as const
      yield* store.change(second, succeeded)
      yield* store.change(second, succeeded)
      const third = (yield* store.claim(told!, "there"))!
      expect(third.work).toBe(first.work + 1)
      yield* stopped(third)
      expect((yield* started("worker")).work).toBe(first.work + 2)
    })
  )
})

layer(stores, { excludeTestServices: true })("a file", (it) => {
  it.effect("goes from a stopped job to the next with what has to be cut, and from a finished one with nothing", () =>
    Effect.gen(function* () {
      const store = yield* JobStore
      const first = yield* started("first")
      expect(yield* claimed(first)).toEqual([{ path: paths[0], place: null }])
      yield* store.progress(first, { positions: { input: 1 }, files: place(5) })

      const second = yield* started("second")
      expect(yield* claimed(second)).toEqual([{ path: paths[0], holder: "channels/c/l/first" }])
      yield* stopped(first)
      // When the first one is started again, it continues at its position, and writes the lines after it once more.
      expect(yield* claimed(second)).toEqual([{ path: paths[0], place: { file: "1.2", bytes: 5 } }])

      yield* store.progress(second, { positions: { input: 2 }, files: place(9) })
      yield* store.change(second, { status: "FINISHED", succeeded: true })
      const third = yield* started("first")
      expect(yield* claimed(third)).toEqual([{ path: paths[0], place: null }])
    })
  )

  it.effect("is not given to an attempt that is over, nor are its positions and lengths kept", () =>
    Effect.gen(function* () {
      const store = yield* JobStore
      const before = yield* started("fenced")
      yield* store.release(before)
      const now = yield* started("fenced")
      expect(yield* store.claimFiles(before, ["out/b.log"])).toBeUndefined()
      yield* store.claimFiles(now, ["out/b.log"])
      const files = { "out/b.log": { file: "1.2", bytes: 3 } }
      expect(yield* store.progress(before, { positions: {}, files })).toBe(false)
      expect(yield* store.claimFiles(now, ["out/b.log"])).toEqual([{ path: "out/b.log", place: null }])
    })
  )
})

import { expect, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as JobStorePostgres from "../../src/layers/postgres/PostgresJobStore.ts"
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

layer(JobStorePostgres.layer.pipe(Layer.provide(TestPostgres)), { excludeTestServices: true })("a file", (it) => {
  it.effect("goes from a stopped job to the next with what has to be cut, and from a finished one with nothing", () =>
    Effect.gen(function* () {
      const store = yield* JobStore
      const first = yield* started("first")
      expect(yield* claimed(first)).toEqual([{ path: paths[0], place: null }])
      yield* store.progress(first, { positions: { input: 1 }, files: place(5) })

      const second = yield* started("second")
      expect(yield* claimed(second)).toEqual([{ path: paths[0], holder: "channels/c/l/first" }])
      yield* stopped(first)
      // The first goes on at its position when it is started again, and writes the lines behind it once more.
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

import { Effect } from "effect"
import { TestClock } from "effect/testing"
import type { Flowline } from "../../src/protocol/Flowline.ts"
import { jobKey } from "../../src/services/channels/Job.ts"
import { JobKeeper } from "../../src/services/channels/JobKeeper.ts"
import { JobStore } from "../../src/services/channels/JobStore.ts"
import { TenantId } from "../../src/services/shared/Tenant.ts"

export const second = 1000
export const key = jobKey("t/c/local/j")
export const flowline: Flowline = {
  runtime: "analytics",
  settings: {},
  dag: [{ type: "x", settings: {}, subscribe: [], publish: [] }]
}

/** Starts the job and its keeper, on a clock that stands still. */
export const started = Effect.gen(function* () {
  const store = yield* JobStore
  const keeper = yield* JobKeeper
  const [desiredJob] = yield* store.requestChange("start", [key])
  const fiber = yield* Effect.forkChild(keeper.keep(desiredJob!))
  yield* TestClock.adjust(0)
  const state = Effect.map(store.list(TenantId("t")), ([found]) => found!)
  return { store, keeper, fiber, state, desiredJob: desiredJob! }
})

import { expect, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { ExecutionStore } from "../../src/services/executions/ExecutionStore.ts"
import { Supervisor } from "../../src/services/executions/Supervisor.ts"
import { FlowlineId } from "../../src/services/shared/FlowlineId.ts"
import { TenantId } from "../../src/services/shared/Tenant.ts"
import { dag, supervising } from "./supervising.ts"

it.effect("an execution whose runs ended as the gateway was silent begins anew, and has one start and one end", () => {
  const { layer, runs } = supervising(5)
  return Effect.gen(function* () {
    const store = yield* ExecutionStore
    const supervisor = yield* Supervisor
    const key = yield* store.create(
      { tenant: TenantId("t"), flowlineId: FlowlineId("f"), version: 1, runtime: "analytics", dag },
      "g",
      0
    )
    const fiber = yield* Effect.forkChild(supervisor.supervise(key))
    yield* TestClock.adjust(0)
    expect((yield* store.state(key))?.state).toBe("PENDING")
    yield* TestClock.adjust("1 minute")
    yield* Fiber.join(fiber)
    const detail = yield* store.detail(key)
    expect(detail).toMatchObject({ state: "SUCCEEDED", error: null })
    expect(detail?.events.map(({ event }) => event)).toEqual([
      "analytics.application.end",
      "analytics.application.start"
    ])
    // Neither the tries of the flowline's `retry` nor the attempts under dying gateways count these.
    expect(runs()).toBe(6)
  }).pipe(Effect.provide(layer))
})

it.effect("a flowline that was saved before the operator lowered the ceilings fails, and says why", () => {
  const { layer, runs } = supervising(0)
  return Effect.gen(function* () {
    const store = yield* ExecutionStore
    const supervisor = yield* Supervisor
    const greedy = JSON.stringify({ ...JSON.parse(dag), settings: { memory_mib: 65_536 } })
    const flowline = { tenant: TenantId("t"), flowlineId: FlowlineId("f"), version: 1, runtime: "analytics" }
    const key = yield* store.create({ ...flowline, dag: greedy }, "g", 0)
    yield* supervisor.supervise(key)
    expect(yield* store.detail(key)).toMatchObject({
      state: "FAILED",
      error: "/settings/memory_mib: This gateway allows a run at most 4096 (FLOW_RUN_MEMORY), found 65536"
    })
    expect(runs()).toBe(0)
  }).pipe(Effect.provide(layer))
})

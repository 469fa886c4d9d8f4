import { expect, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Result, Stream } from "effect"
import { TestClock } from "effect/testing"
import type { RunMessage } from "../../src/protocol/RunProtocol.ts"
import { ExecutionStore } from "../../src/services/executions/ExecutionStore.ts"
import { Supervisor } from "../../src/services/executions/Supervisor.ts"
import { Attempts } from "../../src/services/runs/Attempt.ts"
import { Engine } from "../../src/services/runs/Engine.ts"
import { Gateway } from "../../src/services/runs/Gateway.ts"
import { Provision } from "../../src/services/runs/Provision.ts"
import { FlowlineId } from "../../src/services/shared/FlowlineId.ts"
import { TenantId } from "../../src/services/shared/Tenant.ts"
import * as ArchiveStoreMemory from "../memory/ArchiveStore.ts"
import * as ExecutionStoreMemory from "../memory/ExecutionStore.ts"
import * as PositionStoreMemory from "../memory/PositionStore.ts"
import { testSettings } from "../support/gateway.ts"
import { openLimits } from "../support/open.ts"

const dag = JSON.stringify({
  runtime: "analytics",
  settings: { retry: { attempts: 2, initial: "1s" } },
  dag: [{ type: "x", component: "x" }]
})

/** A supervisor whose first `abandoned` runs end themselves. */
const supervising = (abandoned: number) => {
  let runs = 0
  const started: RunMessage = { _tag: "Started", jobId: "h:1", pid: 1, at: 0 }
  const end = (run: number): RunMessage =>
    run <= abandoned
      ? { _tag: "Ended", outcome: "failed", error: "silent", abandoned: true, at: 0 }
      : { _tag: "Ended", outcome: "succeeded", at: 0 }
  const layer = Supervisor.layer.pipe(
    Layer.provide([Attempts.layer, openLimits]),
    Layer.provideMerge(Layer.mergeAll(ExecutionStoreMemory.layer, PositionStoreMemory.layer)),
    Layer.provide(ArchiveStoreMemory.layer),
    Layer.provide([
      Layer.mock(Engine)({ run: () => Stream.suspend(() => Stream.make(started, end(++runs))) }),
      Layer.succeed(Gateway, { id: "g", name: "h:1", address: "h:1" }),
      Layer.succeed(Provision, { of: () => Effect.succeed(Result.succeed({})) }),
      testSettings({ data: "none", databaseUrl: "postgres://unused", runs: { all: 1, each: 1 } })
    ])
  )
  return { layer, runs: () => runs }
}

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

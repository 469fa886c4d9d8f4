import { expect, it } from "@effect/vitest"
import { Effect, Metric } from "effect"
import type { EndState } from "../../src/services/executions/Execution.ts"
import { ExecutionStore } from "../../src/services/executions/ExecutionStore.ts"
import { Supervisor } from "../../src/services/executions/Supervisor.ts"
import { FlowlineId } from "../../src/services/shared/FlowlineId.ts"
import { TenantId } from "../../src/services/shared/Tenant.ts"
import { dag, supervising } from "./supervising.ts"

const created = Effect.flatMap(ExecutionStore, (store) =>
  store.create({ tenant: TenantId("t"), flowlineId: FlowlineId("f"), version: 1, runtime: "analytics", dag }, "g", 0)
)

/** How often executions have ended in each way. */
const ended = Effect.map(Metric.snapshot, (all) =>
  Object.fromEntries(
    all
      .filter(({ id, attributes }) => id === "flow_executions_ended_total" && attributes?.runtime === "analytics")
      .map(({ attributes, state }) => [attributes?.state, (state as { count: number }).count])
  )
)

const none: Readonly<Record<EndState, number>> = { SUCCEEDED: 0, FAILED: 0, CANCELLED: 0, LOST: 0 }

const counting = <A, E>(test: Effect.Effect<A, E, ExecutionStore | Supervisor>) =>
  test.pipe(Effect.provide(supervising(0).layer), Effect.provideService(Metric.MetricRegistry, new Map()))

it.effect("the counters of ended executions are there before the first has ended, so that its end is an increase", () =>
  counting(
    Effect.gen(function* () {
      yield* Supervisor
      expect(yield* ended).toEqual(none)
      yield* (yield* Supervisor).supervise(yield* created)
      expect(yield* ended).toEqual({ ...none, SUCCEEDED: 1 })
    })
  )
)

it.effect("an execution that is lost, or cancelled before it ran, is counted, too", () =>
  counting(
    Effect.gen(function* () {
      const store = yield* ExecutionStore
      const supervisor = yield* Supervisor
      const lost = yield* created
      for (let death = 1; death <= 3; death++) {
        const claim = yield* store.claim(lost, "dies")
        yield* store.started(claim!, "h:1", "analytics.application.start")
      }
      yield* supervisor.supervise(lost)
      expect((yield* store.state(lost))?.state).toBe("LOST")
      const waiting = yield* created
      yield* store.cancel(waiting)
      yield* supervisor.stop(waiting)
      expect((yield* store.state(waiting))?.state).toBe("CANCELLED")
      expect(yield* ended).toEqual({ ...none, CANCELLED: 1, LOST: 1 })
    })
  )
)

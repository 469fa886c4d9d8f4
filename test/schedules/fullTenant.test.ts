import { expect, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { QueueFull } from "../../src/errors/QueueFull.ts"
import { Executions } from "../../src/services/executions/Executions.ts"
import { FlowlineStore } from "../../src/services/flowlines/FlowlineStore.ts"
import { Flowlines } from "../../src/services/flowlines/Flowlines.ts"
import { Firings } from "../../src/services/schedules/Firings.ts"
import { ScheduleName } from "../../src/services/schedules/Schedule.ts"
import { ScheduleStore, type WaitingFiring } from "../../src/services/schedules/ScheduleStore.ts"
import { TenantId } from "../../src/services/shared/Tenant.ts"
import { rules } from "../support/open.ts"

const firing = (tenant: string, key: string, overlap: string): WaitingFiring => ({
  tenant: TenantId(tenant),
  name: ScheduleName("s"),
  key,
  id: key,
  kind: "run",
  definition: JSON.stringify({ flowline: "f", trigger: { webhook: {} }, overlap }),
  scheduledAt: 0,
  dueAt: 0,
  backfill: null,
  file: null,
  parameters: null,
  body: null
})

it.effect("a tenant that may have no more executions is asked once, and its firings say what they wait for", () => {
  const log: Array<string> = []
  const version = { version: 1, dag: "{}" }
  const layer = Firings.layer.pipe(
    Layer.provide([
      Layer.mock(ScheduleStore)({
        startable: () =>
          Effect.succeed([
            ...["1", "2", "3"].map((key) => firing("full", key, "queue")),
            firing("full", "4", "skip"),
            firing("other", "5", "queue")
          ]),
        waits: ({ key }, reason) => Effect.sync(() => void log.push(`${key} waits: ${reason}`)),
        settle: ({ key }, state) => Effect.sync(() => log.push(`${key} ${state}`) > 0)
      }),
      Layer.mock(Executions)({
        start: (tenant) => {
          log.push(`start for ${tenant}`)
          return tenant === "full"
            ? new QueueFull({ limit: "waitingExecutions", value: 1, used: 2, key: "tenant:full" })
            : Effect.succeed({ id: "e" } as never)
        }
      }),
      Layer.mock(FlowlineStore)({ get: () => Effect.succeed(version as never) }),
      Layer.mock(Flowlines)({ withParameters: () => Effect.succeed(version as never) }),
      rules
    ])
  )
  const reason = "The limit waitingExecutions of the tenant is reached: 1 executions wait"
  return Effect.gen(function* () {
    yield* (yield* Firings).start
    expect(log).toEqual([
      "start for full",
      ...["1", "2", "3"].map((key) => `${key} waits: ${reason}`),
      "start for full",
      "4 REFUSED",
      "start for other"
    ])
  }).pipe(Effect.provide(layer))
})

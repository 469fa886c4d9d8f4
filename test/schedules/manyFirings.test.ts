import { expect, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { QueueFull } from "../../src/errors/QueueFull.ts"
import * as PostgresScheduleStore from "../../src/layers/postgres/stores/PostgresScheduleStore.ts"
import { Executions } from "../../src/services/executions/Executions.ts"
import { FlowlineStore } from "../../src/services/flowlines/FlowlineStore.ts"
import { Flowlines } from "../../src/services/flowlines/Flowlines.ts"
import { Firings } from "../../src/services/schedules/Firings.ts"
import { ScheduleStore } from "../../src/services/schedules/ScheduleStore.ts"
import { TenantFolders } from "../../src/services/schedules/TenantFolders.ts"
import { makeScheduleChecks } from "../../src/services/schedules/Ticker.ts"
import { Tenants } from "../../src/services/shared/Tenant.ts"
import * as ScheduleClock from "../memory/ScheduleClock.ts"
import { rules } from "../support/open.ts"
import { TestPostgres } from "../support/postgres.ts"

const Store = Layer.provideMerge(PostgresScheduleStore.layer, TestPostgres)

/** Schedules of a tenant, each with a firing that may start. */
const due = Effect.fnUntraced(function* (tenant: string, count: number) {
  const sql = yield* SqlClient.SqlClient
  const definition = JSON.stringify({ flowline: "f", trigger: { webhook: {} }, overlap: "queue" })
  yield* sql`
    insert into schedules (tenant, name, definition, flowline_id, kind, overlap)
    select ${tenant}, 's' || n, ${definition}, 'f', 'webhook', 'queue' from generate_series(1, ${count}::integer) n`
  yield* sql`
    insert into schedule_firings (tenant, schedule, key, kind, state, scheduled_at, due_at)
    select ${tenant}, 's' || n, 'k', 'run', 'WAITING', now(), now() from generate_series(1, ${count}::integer) n order by n`
})

/**
 * One check of the times, with the real store: the tenants whose executions it starts, in order, and how often it looks
 * for due times. A tenant may have `most` executions.
 */
const checked = Effect.fnUntraced(function* (most: number) {
  const store = yield* ScheduleStore
  const started: Array<string> = []
  let looks = 0
  const version = { version: 1, dag: "{}" }
  const services = Layer.provideMerge(Firings.layer, [
    Layer.succeed(ScheduleStore, {
      ...store,
      due: (now, suspended) => {
        looks++
        return store.due(now, suspended)
      }
    }),
    Layer.mock(Executions)({
      start: (tenant, _action, _flowline, commit) =>
        started.filter((one) => one === tenant).length >= most
          ? new QueueFull({ limit: "waitingExecutions", value: most, used: most + 1, key: `tenant:${tenant}` })
          : commit!(Effect.sync(() => ({ id: `e${started.push(tenant)}` }) as never)).pipe(Effect.orDie)
    }),
    Layer.mock(FlowlineStore)({ get: () => Effect.succeed(version as never) }),
    Layer.mock(Flowlines)({ withParameters: () => Effect.succeed(version as never) }),
    Layer.mock(Tenants)({}),
    Layer.mock(TenantFolders)({}),
    ScheduleClock.layer,
    rules
  ])
  yield* Effect.provide(
    Effect.flatMap(makeScheduleChecks, ({ times }) => times),
    services
  )
  return { started, looks }
})

layer(Store)("many firings that may start", (it) => {
  it.effect(
    "start without a pause, those of each tenant in turns, with a look for times that are due between them",
    () =>
      Effect.gen(function* () {
        yield* due("a", 120)
        yield* due("b", 1)
        const { started, looks } = yield* checked(1000)
        expect([started.length, started.indexOf("b"), looks]).toEqual([121, 50, 3])
      })
  )

  it.effect("are not looked for again at once when some of them wait for room", () =>
    Effect.gen(function* () {
      yield* due("c", 120)
      const { started, looks } = yield* checked(30)
      expect([started.length, looks]).toEqual([30, 1])
    })
  )
})

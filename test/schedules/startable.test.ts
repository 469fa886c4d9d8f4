import { expect, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import * as PostgresScheduleStore from "../../src/layers/postgres/stores/PostgresScheduleStore.ts"
import { ScheduleName } from "../../src/services/schedules/Schedule.ts"
import { ScheduleStore } from "../../src/services/schedules/ScheduleStore.ts"
import { TenantId } from "../../src/services/shared/Tenant.ts"
import { TestPostgres } from "../support/postgres.ts"

const Store = Layer.provideMerge(PostgresScheduleStore.layer, TestPostgres)

/** A schedule without a time of its own. */
const schedule = (tenant: string, name: string, overlap = "queue") =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql`
      insert into schedules (tenant, name, definition, flowline_id, kind, overlap)
      values (${tenant}, ${name}, ${JSON.stringify({ flowline: "f", trigger: { webhook: {} }, overlap })}, 'f', 'webhook', ${overlap})`
  )

/** Firings of a schedule, each of a backfill of its own or of none. */
const firings = (tenant: string, name: string, state: string, count: number, backfills = false) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql`
      insert into schedule_firings (tenant, schedule, key, kind, state, scheduled_at, due_at, backfill)
      select ${tenant}, ${name}, ${state} || n, ${backfills ? "backfill" : "run"}, ${state}, now(), now(),
        case when ${backfills}::boolean then n end
      from generate_series(1, ${count}::integer) n order by n`
  )

const startable = (suspended: ReadonlyArray<string> = []) =>
  Effect.map(
    Effect.flatMap(ScheduleStore, (store) => store.startable(suspended.map((name) => TenantId(name)))),
    (found) => found.map(({ tenant, name, key }) => ({ tenant: String(tenant), name: String(name), key }))
  )

layer(Store)("firings that may start", (it) => {
  it.effect("are found behind any number of another tenant's that may not", () =>
    Effect.gen(function* () {
      const store = yield* ScheduleStore
      yield* schedule("a", "busy")
      yield* firings("a", "busy", "STARTED", 3000, true)
      yield* firings("a", "busy", "WAITING", 3000, true)
      yield* schedule("b", "hourly")
      yield* firings("b", "hourly", "WAITING", 1)
      expect(yield* startable()).toEqual([{ tenant: "b", name: "hourly", key: "WAITING1" }])
      yield* schedule("a", "other")
      yield* firings("a", "other", "WAITING", 1)
      expect(yield* startable(["b"])).toEqual([{ tenant: "a", name: "other", key: "WAITING1" }])
      const key = { tenant: TenantId("b"), name: ScheduleName("hourly") }
      expect((yield* store.startable([], { key, firing: "WAITING1" })).map(({ key }) => key)).toEqual(["WAITING1"])
    })
  )

  it.effect("are some of each tenant, those first that do not wait for room", () =>
    Effect.gen(function* () {
      yield* schedule("c", "catchUp")
      yield* firings("c", "catchUp", "WAITING", 300, true)
      yield* schedule("c", "skipping", "skip")
      yield* firings("c", "skipping", "WAITING", 1)
      yield* schedule("d", "queueing")
      yield* firings("d", "queueing", "WAITING", 3)
      const found = (yield* startable(["a", "b"])).map(({ name, key }) => `${name} ${key}`)
      expect(found.filter((one) => one.startsWith("catchUp")).length).toBeLessThan(100)
      expect(found.filter((one) => one.startsWith("catchUp"))[0]).toBe("catchUp WAITING1")
      expect(found.filter((one) => !one.startsWith("catchUp"))).toEqual(["skipping WAITING1", "queueing WAITING1"])
    })
  )
})

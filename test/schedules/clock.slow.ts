import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { makeScheduleChecks } from "../../src/services/schedules/Ticker.ts"
import { jumping } from "../memory/ScheduleClock.ts"
import { gateway } from "../support/gateway.ts"
import { call, firings, put, saved, untilFirings } from "./support.ts"

const hour = 3_600_000

layer(gateway(), { excludeTestServices: true })("schedules and a clock that jumps", (it) => {
  it.effect("fire each time once, and do not wait for a time that the clock showed by mistake", () =>
    Effect.gen(function* () {
      let jumped = 0
      const { times: tick } = yield* Effect.provide(
        makeScheduleChecks,
        jumping(() => jumped)
      )
      const sql = yield* SqlClient.SqlClient
      const flowline = yield* saved()
      const made = yield* put("hourly", { flowline, trigger: { every: "1h" }, catchUp: "all", overlap: "allow" })
      const next = Effect.map(call("GET", "schedules/hourly"), ({ body }) => Date.parse(body.next))
      yield* tick
      const first = yield* next
      expect(first).toBe(Date.parse(made.body.next))

      jumped = 3.5 * hour
      yield* tick
      const times = Effect.map(firings("hourly"), (all) => all.map((one) => Date.parse(one.scheduledAt)).toSorted())
      expect(yield* times).toEqual([first, first + hour, first + 2 * hour])
      expect(yield* next).toBe(first + 3 * hour)

      // Turned back: the times that have fired come again, and do not fire again.
      jumped = 0
      yield* tick
      expect(yield* next).toBe(first)
      jumped = 1.5 * hour
      yield* tick
      expect(yield* times).toEqual([first, first + hour, first + 2 * hour])
      expect(yield* next).toBe(first + hour)

      // What waits for a time before which the clock was turned back does not wait for it.
      yield* sql`update schedule_firings set created_at = clock_timestamp() + interval '1 hour'`
      yield* tick
      expect((yield* firings("hourly")).filter(({ state }) => state === "WAITING")).toEqual([])
      yield* call("DELETE", "schedules/hourly")
    })
  )

  it.effect("do not fire at once where the clock is a little behind that of the gateway that has made them", () =>
    Effect.gen(function* () {
      const { times: tick } = yield* Effect.provide(
        makeScheduleChecks,
        jumping(() => -900)
      )
      const made = yield* put("new", { flowline: yield* saved(), trigger: { every: "1h" } })
      yield* tick
      const { body } = yield* call("GET", "schedules/new")
      expect(body.next).toBe(made.body.next)
      yield* call("DELETE", "schedules/new")
    })
  )

  it.effect("go on when the database has cut all connections", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* put("steady", { flowline: yield* saved(), trigger: { every: "1s" }, overlap: "allow", catchUp: "all" })
      yield* untilFirings("steady", (all) => all.length >= 2)
      const cut = sql`select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database()`
      for (let count = 0; count < 3; count++) yield* Effect.ignore(cut)
      const before = (yield* Effect.retry(firings("steady"), { times: 50 })).length
      const found = yield* untilFirings("steady", (all) => all.length >= before + 3)
      yield* call("DELETE", "schedules/steady")
      const times = found.map((one) => Date.parse(one.scheduledAt))
      expect(times).toEqual(times.map((_, index) => times[0]! + index * 1000))
    })
  )

  it.effect("of two looks at the same time, one fires", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const clock = jumping(() => 0)
      const ticks = yield* Effect.all(
        Array.from({ length: 4 }, () => Effect.map(Effect.provide(makeScheduleChecks, clock), ({ times }) => times))
      )
      const flowline = yield* saved()
      yield* put("often", { flowline, trigger: { every: "1h" }, catchUp: "all", overlap: "allow" })
      yield* sql`
        update schedules set anchor = anchor - interval '20 hours', next_at = next_at - interval '20 hours',
          revision = default
        where name = 'often'`
      yield* Effect.all(ticks, { concurrency: "unbounded" })
      const found = yield* firings("often")
      expect(found).toHaveLength(20)
      expect(new Set(found.map(({ scheduledAt }) => scheduledAt)).size).toBe(20)
      const executions = (yield* call("GET", `flowline/executions/${flowline}`)).body as ReadonlyArray<{ id: string }>
      expect(found.map(({ execution }) => execution).toSorted()).toEqual(executions.map(({ id }) => id).toSorted())
      yield* call("DELETE", "schedules/often")
    })
  )
})

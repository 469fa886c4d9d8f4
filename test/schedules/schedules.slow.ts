import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { gateway, TestGateway } from "../support/gateway.ts"
import { until } from "../support/process.ts"
import { call, endless, firings, printed, put, saved, tenant, triggered, untilFirings } from "./support.ts"

layer(gateway(), { excludeTestServices: true })("schedules", (it) => {
  it.effect("fire at their times, and hand the time to the run", () =>
    Effect.gen(function* () {
      const flowline = yield* saved(triggered)
      const made = yield* put("seconds", { flowline, trigger: { cron: "* * * * * *" }, parameters: { day: 1 } })
      expect([made.status, made.body.name, made.body.fault]).toEqual([201, "seconds", null])
      const [first, second] = yield* untilFirings(
        "seconds",
        (all) => all.filter((one) => one.state === "SUCCEEDED").length >= 2
      )
      expect(first).toMatchObject({ kind: "cron", flowlineId: flowline, version: 1, reason: null })
      expect(Date.parse(second!.scheduledAt) - Date.parse(first!.scheduledAt)).toBeGreaterThanOrEqual(1000)
      expect(first!.scheduledAt).toMatch(/:\d\d\.000Z$/)
      const trigger = { schedule: "seconds", kind: "cron", scheduledAt: first!.scheduledAt, parameters: { day: 1 } }
      expect(yield* printed(first!.execution!)).toEqual([trigger])
      const { client } = yield* TestGateway
      const params = { tenant, flowlineId: flowline, executionId: first!.execution! }
      expect((yield* client.executions.detail({ params })).trigger).toEqual(trigger)
      const rows = yield* client.audit.list({ params: { tenant }, query: { principal: "schedule:seconds" } })
      expect(rows[0]).toMatchObject({ action: "schedules.fire", target: first!.execution, method: "internal" })
      expect((yield* call("DELETE", "schedules/seconds")).status).toBe(204)
      expect((yield* call("GET", "schedules/seconds")).status).toBe(404)
    })
  )

  it.effect("are read, listed, replaced, paused and resumed", () =>
    Effect.gen(function* () {
      const flowline = yield* saved()
      const trigger = { cron: "30 2 * * MON-FRI", zone: "Europe/Berlin" }
      expect((yield* put("nightly", { flowline, trigger })).status).toBe(201)
      const { body } = yield* call("GET", "schedules/nightly")
      expect(body).toMatchObject({ name: "nightly", flowline, trigger, paused: false })
      expect(["00:30:00.000Z", "01:30:00.000Z"]).toContain(body.next.slice(11))
      const replaced = yield* put("nightly", { flowline, trigger: { every: "6h" }, description: "four a day" })
      expect([replaced.status, replaced.body.description]).toEqual([200, "four a day"])
      expect((yield* call("POST", "schedules/nightly/pause")).body).toMatchObject({ paused: true, next: null })
      expect((yield* call("POST", "schedules/nightly/resume")).body).toMatchObject({ paused: false })
      expect((yield* call("GET", "schedules")).body.map(({ name }: { name: string }) => name)).toContain("nightly")
      yield* call("DELETE", "schedules/nightly")
    })
  )

  it.effect("skip, queue or allow what overlaps", () =>
    Effect.gen(function* () {
      const flowline = yield* saved(endless)
      const run = (name: string) => Effect.map(call("POST", `schedules/${name}/run`), ({ body }) => body)
      for (const [overlap, state] of [
        ["skip", "SKIPPED"],
        ["queue", "WAITING"],
        ["allow", "STARTED"]
      ] as const) {
        yield* put(overlap, { flowline, trigger: { every: "30d" }, overlap })
        const first = yield* run(overlap)
        expect(first.state).toBe("STARTED")
        const second = yield* run(overlap)
        expect([overlap, second.state]).toEqual([overlap, state])
        if (overlap !== "allow") expect(second.reason ?? "").toContain(overlap === "skip" ? first.execution : "")
        yield* call("DELETE", `flowline/${flowline}/executions/${first.execution}`)
        const [ended, next] = yield* untilFirings(
          overlap,
          ([one, other]) => one?.state === "CANCELLED" && (overlap !== "queue" || other?.state === "STARTED")
        )
        expect(ended?.state).toBe("CANCELLED")
        if (next?.execution != null) yield* call("DELETE", `flowline/${flowline}/executions/${next.execution}`)
        yield* call("DELETE", `schedules/${overlap}`)
      }
    })
  )

  it.effect("give a repeated request with its key the same firing", () =>
    Effect.gen(function* () {
      yield* put("once", { flowline: yield* saved(), trigger: { every: "30d" } })
      const headers = { "idempotency-key": "one" }
      const answers = yield* Effect.all(
        [1, 2, 3, 4].map(() => call("POST", "schedules/once/run", {}, headers)),
        {
          concurrency: "unbounded"
        }
      )
      expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1)
      expect(yield* firings("once")).toHaveLength(1)
      yield* call("DELETE", "schedules/once")
    })
  )

  it.effect("fire after another flowline or schedule, as it ended", () =>
    Effect.gen(function* () {
      const good = yield* saved()
      const bad = yield* saved(`
runtime: stream
dag:
  - { type: file_input, settings: { path: none.txt }, publish: [ { stream: out } ] }
  - { type: show, subscribe: [ { component: file_input, stream: out } ] }
`)
      yield* put("first", { flowline: good, trigger: { every: "30d" } })
      yield* put("good", { flowline: good, trigger: { after: { schedule: "first" } } }).pipe(
        Effect.tap(({ status }) => Effect.sync(() => expect(status).toBe(201)))
      )
      const then = yield* saved(triggered)
      yield* put("then", { flowline: then, trigger: { after: { schedule: "good" } } })
      yield* put("never", { flowline: then, trigger: { after: { schedule: "good", on: "failure" } } })
      yield* put("sorry", { flowline: then, trigger: { after: { flowline: bad, on: "failure" } } })
      yield* call("POST", "schedules/first/run")
      const { client } = yield* TestGateway
      const { id } = yield* client.flowlines.execute({ params: { tenant, id: bad }, query: {} })
      yield* untilFirings("then", ([one]) => one?.state === "SUCCEEDED")
      yield* untilFirings("sorry", ([one]) => one?.state === "SUCCEEDED")
      expect((yield* firings("good")).length).toBe(1)
      expect((yield* firings("then")).length).toBe(1)
      expect((yield* firings("sorry")).length).toBe(1)
      expect(yield* firings("never")).toEqual([])
      const again = yield* call("POST", `flowline/executions/${id}/again`)
      expect(again.status).toBe(200)
      yield* untilFirings("sorry", (all) => all.length === 2)
      const circle = yield* put("first", { flowline: good, trigger: { after: { schedule: "then" } } })
      expect([circle.status, circle.body.issues[0].detail]).toEqual([
        400,
        "These would fire one after the other for ever: first after then after good after first"
      ])
      for (const name of ["first", "good", "then", "never", "sorry"]) yield* call("DELETE", `schedules/${name}`)
    })
  )

  it.effect("say that their flowline was deleted, and refuse with the reason", () =>
    Effect.gen(function* () {
      const flowline = yield* saved()
      yield* put("lost", { flowline, trigger: { every: "30d" } })
      yield* call("DELETE", `flowline/${flowline}`)
      expect((yield* call("GET", "schedules/lost")).body.fault).toContain("was deleted")
      const { body } = yield* call("POST", "schedules/lost/run")
      expect(body).toMatchObject({
        state: "REFUSED",
        execution: null,
        reason: expect.stringContaining("There is no flowline")
      })
      yield* call("DELETE", "schedules/lost")
    })
  )

  it.effect("make up for a range of times, some at once, and cancel it", () =>
    Effect.gen(function* () {
      const flowline = yield* saved(triggered)
      yield* put("hourly", { flowline, trigger: { cron: "0 * * * *" } })
      const range = { from: "2026-01-01T00:00:00Z", to: "2026-01-01T06:00:00Z", parallel: 2 }
      const { status, body } = yield* call("POST", "schedules/hourly/backfill", range)
      expect([status, body.firings, body.parallel]).toEqual([201, 6, 2])
      const all = yield* untilFirings("hourly", (found) => found.every(({ state }) => state === "SUCCEEDED"))
      expect(all.map(({ scheduledAt }) => scheduledAt.slice(11, 13))).toEqual(["00", "01", "02", "03", "04", "05"])
      expect(yield* printed(all[3]!.execution!)).toMatchObject([
        { kind: "backfill", scheduledAt: "2026-01-01T03:00:00.000Z" }
      ])
      yield* put("hourly", { flowline: yield* saved(endless), trigger: { cron: "0 * * * *" } })
      const { body: long } = yield* call("POST", "schedules/hourly/backfill", { ...range, to: "2026-02-01T00:00:00Z" })
      const open = Effect.map(call("GET", "schedules/hourly/backfill"), ({ body }) => body[0])
      expect(yield* until(open, (one) => one.open === 2)).toMatchObject({ id: long.id, open: 2, waiting: 742 })
      expect((yield* call("DELETE", `schedules/hourly/backfill/${long.id}`)).status).toBe(204)
      expect(yield* until(open, (one) => one.open === 0)).toMatchObject({ waiting: 0, cancelledAt: expect.any(String) })
      expect((yield* call("DELETE", "schedules/hourly/backfill/999")).status).toBe(404)
      yield* call("DELETE", "schedules/hourly")
    })
  )
})

import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { ScheduleStore } from "../../src/services/schedules/ScheduleStore.ts"
import { TenantId } from "../../src/services/shared/Tenant.ts"
import { fileAccess } from "../limits/access.ts"
import { gatewayOn, raw, TestGateway } from "../support/gateway.ts"
import { until } from "../support/process.ts"
import { parseMetrics } from "../support/prometheus.ts"
import { call, endless, firings, put, saved, tenant, untilFirings } from "./support.ts"

const { layer: access, changeFile } = fileAccess()

/** Moves the next time of a schedule into the past, as if no gateway had been there since. */
const away = (name: string, span: string) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql`
      update schedules set anchor = anchor - ${span}::interval, next_at = next_at - ${span}::interval where name = ${name}`
  )

layer(gatewayOn(access), { excludeTestServices: true })("the rules of schedules", (it) => {
  it.effect("tell every fault of a request at once, with its place and the cure", () =>
    Effect.gen(function* () {
      const flowline = yield* saved()
      const refused = Effect.fnUntraced(function* (body: unknown, name = "x") {
        const { status, body: problem } = yield* put(name, body)
        const issues = (problem.issues ?? []) as ReadonlyArray<{
          readonly pointer: string
          readonly detail: string
          readonly column?: number
        }>
        return [status, ...issues.map(({ pointer, detail, column }) => `${pointer} ${column ?? ""} ${detail}`)]
      })
      expect(yield* refused({ flowline, trigger: { cron: "0 25 * * MOM", zone: "Europe/Berlim" } })).toEqual([
        400,
        '/trigger/zone  There is no time zone "Europe/Berlim"; did you mean "Europe/Berlin"?',
        "/trigger/cron 3 25 is no hour: expected 0 to 23",
        '/trigger/cron 10 "MOM" is no day of the week: expected 0 to 7 or SUN to SAT; did you mean "MON"?'
      ])
      expect(yield* refused({ flowline, trigger: {} })).toEqual([
        400,
        "/trigger  Expected exactly one of cron, every, after, file, webhook: there is none"
      ])
      expect(yield* refused({ flowline, trigger: { cron: "@daily", every: "1d" } })).toEqual([
        400,
        "/trigger  Expected exactly one of cron, every, after, file, webhook: there are cron and every"
      ])
      expect(yield* refused({ flowline, triger: { every: "1d" }, trigger: { every: "0s" } })).toEqual([
        400,
        expect.stringContaining('There is no "triger" here; did you mean "trigger"?'),
        expect.stringContaining("/trigger/every")
      ])
      expect(yield* refused({ flowline: "none", trigger: { every: "1d" } })).toEqual([
        400,
        '/flowline  There is no saved flowline "none"'
      ])
      expect(yield* refused({ flowline, version: 7, trigger: { every: "1d" } })).toEqual([
        400,
        expect.stringContaining("/version  There is no version 7")
      ])
      expect(yield* refused({ flowline, trigger: { webhook: {} }, catchUp: "all" })).toEqual([
        400,
        "/catchUp  Only `cron` and `every` have it"
      ])
      expect(yield* refused({ flowline, trigger: { after: { flowline, schedule: "a" } } })).toEqual([
        400,
        "/trigger/after  Expected either `flowline` or `schedule`"
      ])
      expect(yield* refused({ flowline, trigger: { after: { flowline } } })).toEqual([
        400,
        "/trigger/after  These would fire one after the other for ever: x after x"
      ])
      expect(yield* refused({ flowline, trigger: { file: { path: "../x" } } })).toEqual([
        400,
        expect.stringContaining("/trigger/file/path")
      ])
      for (const [path, expected] of [
        ["/var/log/*.log", /^\/trigger\/file\/path {2}The path has to be relative: .* `root`, .* FLOW_ROOTS$/],
        [
          "{1..30000}",
          /^\/trigger\/file\/path {2}The braces stand for more than 1000 paths, .*: write \* or \? in place/
        ],
        [`boom/${"{a,b}".repeat(14)}`, /^\/trigger\/file\/path {2}The braces stand for more than 1000 paths/],
        ["s3://bucket/*.csv", /^\/trigger\/file\/path {2}Only files of folders are watched: fire at times/]
      ] as const) {
        const faults = yield* refused({ flowline, trigger: { file: { path } } })
        expect(faults).toEqual([400, expect.stringMatching(expected)])
      }
      expect(yield* refused({ flowline, trigger: "@daily" })).toEqual([
        400,
        "/trigger  Expected an object with one of cron, every, after, file, webhook"
      ])
      expect((yield* refused({ flowline, trigger: { every: "1d" } }, "a%20b"))[0]).toBe(400)
      yield* put("near", { flowline, trigger: { every: "1d" } })
      expect(yield* refused({ flowline, trigger: { after: { schedule: "naer" } } })).toEqual([
        400,
        '/trigger/after/schedule  There is no "naer" among the schedules; did you mean "near"?'
      ])
      const bad = yield* call("POST", "schedules/near/backfill", { from: "2026-01-01", to: "2026-01-02T00:00:00Z" })
      expect([bad.status, bad.body.issues[0].pointer]).toEqual([400, "/from"])
      yield* put("dense", { flowline, trigger: { cron: "* * * * *" } })
      const range = { from: "2026-01-01T00:00:00Z", to: "2026-01-09T00:00:00Z" }
      const many = yield* call("POST", "schedules/dense/backfill", range)
      expect([many.status, many.body.issues[0].detail]).toEqual([400, expect.stringContaining("More than 10000 times")])
      for (const name of ["near", "dense"]) yield* call("DELETE", `schedules/${name}`)
    })
  )

  it.effect("refuse parameters that the flowline would refuse each time it fires", () =>
    Effect.gen(function* () {
      const flowline = yield* saved(`
runtime: stream
parameters:
  day: { type: string }
  rows: { type: integer, default: 1 }
dag:
  - { type: generator_input, settings: { messages: ["\${param:day}"], count: "\${param:rows}", rate: 1 }, publish: [ { stream: out } ] }
  - { type: show, subscribe: [ { component: generator_input, stream: out } ] }
`)
      const trigger = { every: "30d" }
      const faults = Effect.fnUntraced(function* (given: object) {
        const { status, body } = yield* put("given", { flowline, trigger, ...given })
        const issues = (body.issues ?? []) as ReadonlyArray<Readonly<Record<string, string>>>
        return [status, ...issues.map(({ part, pointer, detail }) => `${part} ${pointer} ${detail}`)]
      })
      expect(yield* faults({})).toEqual([400, expect.stringMatching(/^body \/parameters\/day .*required/)])
      expect(yield* faults({ parameters: { day: "2026-01-01", rows: "many", dya: 1 } })).toEqual([
        400,
        expect.stringMatching(/^body \/parameters\/dya .*did you mean "day"/),
        expect.stringMatching(/^body \/parameters\/rows /)
      ])
      expect((yield* call("GET", "schedules/given")).status).toBe(404)
      expect(yield* faults({ parameters: { day: "2026-01-01" } })).toEqual([201])
      // The bodies of a webhook may supply the missing values.
      expect(yield* faults({ trigger: { webhook: { body: "parameters" } } })).toEqual([200])
      expect(yield* faults({ trigger: { webhook: {} } })).toEqual([400, expect.stringContaining("/parameters/day")])
      yield* call("DELETE", "schedules/given")
    })
  )

  it.effect("say that what they come after was deleted", () =>
    Effect.gen(function* () {
      const [flowline, first] = [yield* saved(), yield* saved()]
      yield* put("first", { flowline, trigger: { every: "30d" } })
      yield* put("second", { flowline, trigger: { after: { schedule: "first" } } })
      yield* put("third", { flowline, trigger: { after: { flowline: first } } })
      const fault = (name: string) => Effect.map(call("GET", `schedules/${name}`), ({ body }) => body.fault)
      expect([yield* fault("second"), yield* fault("third")]).toEqual([null, null])
      yield* call("DELETE", "schedules/first")
      yield* (yield* TestGateway).client.flowlines.remove({ params: { tenant, id: first } })
      expect(yield* fault("second")).toMatch(/^The schedule "first" that it comes after was deleted: /)
      expect(yield* fault("third")).toMatch(/^The flowline that it comes after was deleted: /)
      // It is found by its name, so another one with this name suffices.
      yield* put("first", { flowline, trigger: { every: "30d" } })
      expect(yield* fault("second")).toBe(null)
      for (const name of ["first", "second", "third"]) yield* call("DELETE", `schedules/${name}`)
    })
  )

  it.effect("make up for missed times as chosen, and say what was missed", () =>
    Effect.gen(function* () {
      const flowline = yield* saved()
      for (const [catchUp, expected] of [
        ["none", ["MISSED"]],
        ["last", ["MISSED", "SUCCEEDED"]],
        ["all", ["SUCCEEDED", "SUCCEEDED", "SUCCEEDED", "SUCCEEDED"]]
      ] as const) {
        // Hours apart, and none of them within the last minute.
        yield* put(catchUp, { flowline, trigger: { every: "2h" }, catchUp, overlap: "allow" })
        const sql = yield* SqlClient.SqlClient
        yield* sql`update schedules set paused = true where name = ${catchUp}`
        yield* away(catchUp, "9 hours")
        yield* sql`update schedules set paused = false where name = ${catchUp}`
        const found = yield* untilFirings(
          catchUp,
          (all) => all.length > 0 && all.every(({ endedAt }) => endedAt !== null)
        )
        expect([catchUp, found.map(({ state }) => state)]).toEqual([catchUp, expected])
        if (catchUp !== "all") expect(found[0]?.reason).toMatch(/^No gateway was there from .* to /)
        const { body } = yield* call("GET", `schedules/${catchUp}`)
        expect(Date.parse(body.next)).toBeGreaterThan(Date.now() - 60_000)
        yield* call("DELETE", `schedules/${catchUp}`)
      }
    })
  )

  it.effect("fire nothing for a suspended tenant, and go on as chosen when it is lifted", () =>
    Effect.gen(function* () {
      const flowline = yield* saved()
      yield* put("held", { flowline, trigger: { every: "1h" } })
      yield* put("ticks", { flowline, trigger: { every: "1h" }, overlap: "allow" })
      yield* changeFile({ tenants: { mytenant: { suspended: true }, othertenant: {} } })
      yield* away("held", "3 hours")
      const store = yield* ScheduleStore
      // Rounds go on: another tenant's schedule, which is due as well, has fired meanwhile.
      const others = "othertenant"
      const sql = yield* SqlClient.SqlClient
      yield* sql`
        insert into schedules (tenant, name, definition, flowline_id, kind, overlap, next_at)
        select ${others}, 'beside', definition, flowline_id, kind, overlap, clock_timestamp() - interval '1 second'
        from schedules where name = 'ticks'`
      const beside = sql`select state from schedule_firings where tenant = ${others} and state <> 'WAITING'`
      yield* until(beside, (rows) => rows.length === 1)
      expect(yield* firings("held")).toEqual([])
      expect((yield* call("POST", "schedules/held/run")).status).toBe(403)
      expect(yield* store.startable([TenantId(tenant)])).toEqual([])
      yield* changeFile({})
      const found = yield* untilFirings("held", (all) => all.some(({ state }) => state === "SUCCEEDED"))
      expect(found.map(({ state }) => state)).toEqual(["MISSED", "SUCCEEDED"])
      for (const name of ["held", "ticks"]) yield* call("DELETE", `schedules/${name}`)
    })
  )

  it.effect("refuse with the reason what is over a limit, or wait for room", () =>
    Effect.gen(function* () {
      const flowline = yield* saved(endless)
      yield* changeFile({ tenants: { mytenant: { limits: { waitingExecutions: 1, runningExecutions: 1 } } } })
      yield* put("refused", { flowline, trigger: { every: "30d" }, overlap: "allow" })
      yield* put("patient", { flowline, trigger: { every: "30d" }, overlap: "queue" })
      const run = (name: string) => Effect.map(call("POST", `schedules/${name}/run`), ({ body }) => body)
      const first = yield* run("refused")
      yield* until(
        call("GET", `flowline/${flowline}/executions/${first.execution}`),
        ({ body }) => body.state === "RUNNING"
      )
      const second = yield* run("refused")
      expect([first.state, second.state]).toEqual(["STARTED", "STARTED"])
      expect(yield* run("refused")).toMatchObject({
        state: "REFUSED",
        execution: null,
        reason: "The limit waitingExecutions of the tenant is reached: 1 executions wait"
      })
      expect(yield* run("patient")).toMatchObject({
        state: "WAITING",
        reason: expect.stringContaining("waitingExecutions")
      })
      const metrics = yield* Effect.flatMap(raw("/metrics"), (answer) => Effect.promise(() => answer.text()))
      const counted = parseMetrics(metrics).find(({ name }) => name === "flow_schedule_firings_total")?.samples
      expect(counted).toContainEqual({ labels: { tenant, outcome: "refused" }, value: expect.any(Number) })
      yield* changeFile({})
      const [patient] = yield* untilFirings("patient", ([one]) => one?.state === "STARTED")
      expect(patient?.reason).toBeNull()
      const executions = [first.execution, second.execution, patient?.execution]
      for (const id of executions) yield* call("DELETE", `flowline/${flowline}/executions/${id}`)
      for (const name of ["refused", "patient"]) yield* call("DELETE", `schedules/${name}`)
    })
  )

  it.effect("forget old firings that are over, and write that down", () =>
    Effect.gen(function* () {
      const store = yield* ScheduleStore
      yield* put("kept", { flowline: yield* saved(), trigger: { every: "30d" }, overlap: "allow" })
      for (let count = 0; count < 5; count++) yield* call("POST", "schedules/kept/run")
      yield* untilFirings("kept", (all) => all.length === 5 && all.every(({ state }) => state === "SUCCEEDED"))
      const sql = yield* SqlClient.SqlClient
      yield* sql`delete from schedule_firings where schedule <> 'kept'`
      expect(yield* store.expire(TenantId(tenant), { number: 2 })).toBe(3)
      expect(yield* store.expire(TenantId(tenant), { number: 2, age: 3_600_000 })).toBe(0)
      expect(yield* firings("kept")).toHaveLength(2)
      yield* sql`update schedule_firings set created_at = created_at - interval '2 hours'`
      expect(yield* store.expire(TenantId(tenant), { age: 3_600_000 })).toBe(2)
      const answer = yield* raw(`/v1/${tenant}/audit?action=retention.firings`)
      expect(yield* Effect.promise(() => answer.json())).toMatchObject([{ count: 3 }, { count: 2 }])
      yield* call("DELETE", "schedules/kept")
    })
  )
})

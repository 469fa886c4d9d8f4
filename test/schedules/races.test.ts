import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { during } from "../support/during.ts"
import { gateway, raw } from "../support/gateway.ts"
import { call, put, saved, tenant } from "./support.ts"

layer(gateway(), { excludeTestServices: true })("a schedule that somebody else changes meanwhile", (it) => {
  it.effect("is not made again by who replaces what was there", () =>
    Effect.gen(function* () {
      const hourly = { flowline: yield* saved(), trigger: { every: "1h" } }
      yield* put("gone", hourly)
      const etag = (yield* raw(`/v1/${tenant}/schedules/gone`)).headers.get("etag") ?? ""
      const remove = (sql: SqlClient.SqlClient) => sql`delete from schedules where name = 'gone'`
      const named = call("PUT", "schedules/gone", hourly, { "if-match": etag })
      expect((yield* during(remove, named)).status).toBe(412)
      expect((yield* call("GET", "schedules/gone")).status).toBe(404)
      yield* put("gone", hourly)
      expect((yield* during(remove, put("gone", hourly))).status).toBe(201)
    })
  )

  it.effect("is resumed at the times that it has then", () =>
    Effect.gen(function* () {
      const flowline = yield* saved()
      yield* put("moved", { flowline, trigger: { every: "1h" } })
      yield* call("POST", "schedules/moved/pause")
      const yearly = JSON.stringify({ flowline, trigger: { cron: "0 0 1 1 *" } })
      const replace = (sql: SqlClient.SqlClient) =>
        sql`update schedules set definition = ${yearly}, revision = default where name = 'moved'`
      const { body } = yield* during(replace, call("POST", "schedules/moved/resume"))
      expect(body).toMatchObject({ paused: false, next: expect.stringMatching(/-01-01T00:00:00.000Z$/) })
    })
  )

  it.effect("is told as it was made, though it is deleted at once", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql`
        create function gone() returns trigger language plpgsql as $$
          begin delete from schedules where name = new.name; return null; end $$`
      yield* sql`
        create constraint trigger gone after insert on schedules deferrable initially deferred
          for each row when (new.name = 'brief') execute function gone()`
      const made = yield* put("brief", { flowline: yield* saved(), trigger: { every: "1h" } })
      expect(made).toMatchObject({ status: 201, body: { name: "brief", trigger: { every: "1h" } } })
    })
  )
})

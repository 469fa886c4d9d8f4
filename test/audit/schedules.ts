import { Effect } from "effect"
import { ask } from "../resources/support.ts"
import { flowlineForm, TestGateway } from "../support/gateway.ts"
import { generator } from "../support/runs.ts"

const tenant = "mytenant"

const call = (method: string, path: string, body?: unknown, headers: Readonly<Record<string, string>> = {}) =>
  ask(`/v1/${tenant}/${path}`, {
    method,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    headers: { ...(body === undefined ? {} : { "content-type": "application/json" }), ...headers }
  })

const saved = Effect.flatMap(TestGateway, ({ client }) =>
  client.flowlines.save({ params: { tenant }, query: {}, payload: flowlineForm(generator(1, 1)) })
)

/** A schedule whose flowline is deleted: its firings start nothing, so that nothing else writes a row. */
const lost = (name: string, trigger: unknown = { every: "1d" }) =>
  Effect.gen(function* () {
    const { id } = yield* saved
    const { text } = yield* call("PUT", `schedules/${name}`, { flowline: id, trigger })
    yield* call("DELETE", `flowline/${id}`)
    return JSON.parse(text) as { readonly token?: string }
  })

const range = { from: "2026-01-01T00:00:00Z", to: "2026-01-03T00:00:00Z" }

/** A request to each schedule endpoint that changes something, and the expected row. */
export const scheduleCalls = {
  "schedules.put": Effect.map(saved, ({ id }) => ({
    call: call("PUT", "schedules/made", { flowline: id, trigger: { every: "1d" } }),
    row: { target: "made", before: null }
  })),
  "schedules.remove": Effect.as(lost("gone"), { call: call("DELETE", "schedules/gone"), row: { target: "gone" } }),
  "schedules.pause": Effect.as(lost("paused"), {
    call: call("POST", "schedules/paused/pause"),
    row: { target: "paused" }
  }),
  "schedules.resume": Effect.as(Effect.andThen(lost("resumed"), call("POST", "schedules/resumed/pause")), {
    call: call("POST", "schedules/resumed/resume"),
    row: { target: "resumed" }
  }),
  "schedules.newToken": Effect.as(lost("renewed", { webhook: {} }), {
    call: call("POST", "schedules/renewed/token"),
    row: { target: "renewed", before: null, after: null }
  }),
  "schedules.run": Effect.as(lost("run"), { call: call("POST", "schedules/run/run"), row: { target: "run" } }),
  "schedules.backfill": Effect.as(lost("filled"), {
    call: call("POST", "schedules/filled/backfill", range),
    row: { count: 2 }
  }),
  "schedules.cancelBackfill": Effect.map(
    Effect.andThen(lost("unfilled"), call("POST", "schedules/unfilled/backfill", range)),
    ({ text }) => {
      const { id } = JSON.parse(text) as { readonly id: string }
      return { call: call("DELETE", `schedules/unfilled/backfill/${id}`), row: { target: `unfilled/${id}` } }
    }
  ),
  "hooks.fire": Effect.map(lost("hook", { webhook: {} }), ({ token }) => ({
    call: call("POST", "hooks/hook", { secret: "not in the audit" }, { authorization: `Bearer ${token}` }),
    row: { target: "hook", principal: "hook:hook", method: "key", before: null, after: null }
  }))
}

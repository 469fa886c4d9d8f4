import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { gateway } from "../support/gateway.ts"
import { call, printed, put, saved, untilFirings } from "./support.ts"

/** A flowline that prints the records of its trigger, each with the trigger. */
const printing = (runtime: string, rejected: boolean) => `
runtime: ${runtime}
dag:
  - type: trigger_input
    settings: { field: by }
    publish: [ { stream: out }${rejected ? ", { stream: errors }" : ""} ]
  - { type: show, settings: { format: json }, subscribe: [ { component: trigger_input, stream: out } ] }
${rejected ? "  - { type: show, component: bad, subscribe: [ { component: trigger_input, stream: errors } ] }" : ""}
`

layer(gateway(), { excludeTestServices: true })("trigger_input", (it) => {
  it.effect.each(["stream", "analytics", "pybatch"])("gives the records of a webhook to a run of %s", (runtime) =>
    Effect.gen(function* () {
      const flowline = yield* saved(printing(runtime, false))
      const { body: hook } = yield* put(runtime, { flowline, trigger: { webhook: {} } })
      const sent = [
        { city: "Brno", people: 402_739 },
        { city: "Oslo", people: 717_710 }
      ]
      const { status, body } = yield* call("POST", `hooks/${runtime}`, sent, { authorization: `Bearer ${hook.token}` })
      expect(status).toBe(202)
      const [done] = yield* untilFirings(runtime, ([one]) => one?.endedAt != null)
      expect([done?.state, done?.reason]).toEqual(["SUCCEEDED", null])
      const by = { schedule: runtime, kind: "webhook", scheduledAt: body.scheduledAt }
      const records = (yield* printed(done!.execution!)).toSorted((a, b) => (a.city < b.city ? -1 : 1))
      expect(records).toEqual(sent.map((record) => ({ ...record, by })))
      yield* call("DELETE", `schedules/${runtime}`)
    })
  )

  it.effect("rejects what is no record, and gives nothing to an execution that nothing has triggered", () =>
    Effect.gen(function* () {
      const flowline = yield* saved(printing("stream", true))
      const { body: hook } = yield* put("lines", { flowline, trigger: { webhook: {} } })
      yield* call("POST", "hooks/lines", '{"a":1}\nnonsense\n', {
        authorization: `Bearer ${hook.token}`,
        "content-type": "application/x-ndjson"
      })
      const [done] = yield* untilFirings("lines", ([one]) => one?.state === "SUCCEEDED")
      expect(yield* printed(done!.execution!)).toMatchObject([
        { a: 1, by: { schedule: "lines" } },
        { message: "nonsense" }
      ])
      const { body: plain } = yield* call("POST", `flowline/${flowline}`)
      const detail = call("GET", `flowline/${flowline}/executions/${plain.id}`)
      yield* Effect.repeat(detail, { until: ({ body }) => body.state === "SUCCEEDED" })
      expect(yield* printed(plain.id)).toEqual([])
      yield* call("DELETE", "schedules/lines")
    })
  )
})

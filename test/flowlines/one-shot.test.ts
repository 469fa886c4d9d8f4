import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { ended, flowlineForm, onBoth, raw, TestGateway } from "../support/gateway.ts"

const tenant = "mytenant"
const params = { tenant }

const text = `
runtime: stream
parameters: { word: { type: string } }
dag:
  - type: generator_input
    settings: { messages: ["\${param:word}"], count: 1 }
    publish: [ { stream: words } ]
  - { type: show, subscribe: [ { component: generator_input, stream: words } ] }
`

onBoth("a flowline that is run once", (it) => {
  it.effect("is read by its id, as it was sent, while its execution is kept, and is in no list", () =>
    Effect.gen(function* () {
      const { client } = yield* TestGateway
      const payload = flowlineForm(text)
      payload.set("parameters", JSON.stringify({ word: "given" }))
      const execution = yield* client.flowlines.executeOnce({ params, payload })
      const id = execution.id.slice(0, execution.id.lastIndexOf("-"))
      const record = yield* client.flowlines.get({ params: { ...params, id }, query: {} })
      expect(record).toMatchObject({ id, index: "mytenant-flowlines", parameters: { required: ["word"] } })
      expect(JSON.parse(record.source.dag)).toMatchObject({ dag: [{ settings: { messages: [`\${param:word}`] } }, {}] })
      expect((yield* client.flowlines.list({ params, query: {} })).map((one) => one.id)).not.toContain(id)
      for (const path of [`flowline/${id}/versions`, `flowline/${id}?version=2`]) {
        expect([path, (yield* raw(`/v1/${tenant}/${path}`)).status]).toEqual([path, 404])
      }
      const save = { method: "POST", body: flowlineForm(text) }
      expect((yield* raw(`/v1/${tenant}/flowline/save?id=${id}`, save)).status).toBe(404)
      expect((yield* raw(`/v1/othertenant/flowline/${id}`)).status).toBe(404)
      yield* ended(tenant, id, execution.id)
      expect((yield* raw(`/v1/${tenant}/flowline/${id}`)).status).toBe(200)
      yield* client.flowlines.remove({ params: { ...params, id } })
      expect((yield* raw(`/v1/${tenant}/flowline/${id}`)).status).toBe(404)
      expect((yield* client.executions.listOf({ params: { ...params, id }, query: {} })).length).toBe(1)
    })
  )
})

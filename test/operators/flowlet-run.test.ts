import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { ended, flowlineForm, onBoth, raw, TestGateway } from "../support/gateway.ts"

const flowline = (code: string) => `
version: "1.0"
type: flowline
runtime: stream
dag:
  - type: generator_input
    component: in
    settings: { messages: [ { n: 1 }, { n: 2 }, { n: 3 } ], count: 3 }
    publish: [ { stream: logs } ]
  - type: flowlet
    component: script
    settings: { code: ${JSON.stringify(code)} }
    subscribe: [ { component: in, stream: logs } ]
    publish: [ { stream: logs }, { stream: errors } ]
  - type: show
    component: kept
    subscribe: [ { component: script, stream: logs } ]
  - type: show
    component: failed
    subscribe: [ { component: script, stream: errors } ]
`

onBoth("a flowline with a flowlet", (it) => {
  it.effect("runs, prints, and passes failures on", () =>
    Effect.gen(function* () {
      const { client } = yield* TestGateway
      const tenant = "mytenant"
      const code = "print('n is', event.n)\nif (event.n === 2) throw new Error('no')\nevent.double = event.n * 2"
      const { id } = yield* client.flowlines.save({
        params: { tenant },
        query: {},
        payload: flowlineForm(flowline(code))
      })
      const execution = yield* client.flowlines.execute({ params: { tenant, id }, query: {} })
      const detail = yield* ended(tenant, id, execution.id)
      expect(detail.state).toBe("SUCCEEDED")
      const response = yield* raw(`/v1/${tenant}/flowline/executions/${execution.id}/output`, {
        headers: { accept: "text/plain" }
      })
      const lines = (yield* Effect.promise(() => response.text())).trim().split("\n").sort()
      expect(lines).toEqual([
        "n is 1",
        "n is 2",
        "n is 3",
        '{"n":1,"double":2}',
        '{"n":2,"error":{"node":"script","reason":"Error: no at 2:35"}}',
        '{"n":3,"double":6}'
      ])
    })
  )

  it.effect("is refused with the place of the fault when its program does not compile", () =>
    Effect.gen(function* () {
      const { client } = yield* TestGateway
      const failure = yield* Effect.flip(
        client.flowlines.save({
          params: { tenant: "mytenant" },
          query: {},
          payload: flowlineForm(flowline("event.a = 1\nevent.b = ;"))
        })
      )
      expect(failure).toMatchObject({
        _tag: "BadRequest",
        issues: [{ detail: expect.stringContaining("SyntaxError") }]
      })
    })
  )
})

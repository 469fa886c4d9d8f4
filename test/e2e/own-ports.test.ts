import { expect, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { freePort } from "../cluster/members.ts"
import { ended, flowlineForm, gateway, raw, TestGateway } from "../support/gateway.ts"

const tenant = "mytenant"

const listening = (type: string, settings: object) =>
  JSON.stringify({
    runtime: "stream",
    settings: { timeout_seconds: 20 },
    dag: [
      { type, settings, publish: [{ stream: "out" }] },
      { type: "show", settings: { format: "json" }, subscribe: [{ component: type, stream: "out" }] }
    ]
  })

const own = expect.stringMatching(/^Port \d+ is the gateway's own: .* Choose another port$/)

const clustered = Layer.unwrap(
  Effect.map(Effect.promise(freePort), (port) => gateway({ cluster: `127.0.0.1:${port}` }))
)

layer(clustered, { excludeTestServices: true })("a port of the gateway", (it) => {
  const portOf = Effect.map(TestGateway, ({ url }) => Number(new URL(url).port))
  const inputs = (port: number): ReadonlyArray<readonly [type: string, settings: object]> => [
    ["syslog_input", { host: "::1", port, protocol: "tcp" }],
    ["syslog_input", { host: "127.0.0.2", port, protocol: "udp" }],
    ["http_input", { host: "0.0.0.0", port, path: "/console/session" }]
  ]

  it.effect("is refused when a flowline is saved that would listen there on another address", () =>
    Effect.gen(function* () {
      const { cluster } = (yield* TestGateway).settings
      const ports = [yield* portOf, Number(cluster?.split(":")[1])]
      for (const [type, settings] of ports.flatMap(inputs)) {
        const body = flowlineForm(listening(type, settings))
        const answer = yield* raw(`/v1/${tenant}/flowline/save`, { method: "POST", body })
        const { issues } = (yield* Effect.promise(() => answer.json())) as { readonly issues?: unknown }
        expect([answer.status, issues]).toEqual([
          400,
          [expect.objectContaining({ pointer: "/dag/0/settings/port", detail: own })]
        ])
      }
    })
  )

  it.effect("is refused when a flowline runs that was saved before the port was the gateway's", () =>
    Effect.gen(function* () {
      const { client } = yield* TestGateway
      const sql = yield* SqlClient.SqlClient
      const port = yield* portOf
      for (const [type, settings] of inputs(port)) {
        const payload = flowlineForm(listening(type, { ...settings, port: 61_235 }))
        const { id } = yield* client.flowlines.save({ params: { tenant }, query: {}, payload })
        yield* sql`update flowline_versions set dag = replace(dag, '61235', ${String(port)}) where id = ${id}`
        const execution = yield* client.flowlines.execute({ params: { tenant, id }, query: {} })
        const { state, error } = yield* ended(tenant, id, execution.id)
        expect([state, error]).toEqual(["FAILED", expect.stringContaining(`Port ${port} is the gateway's own`)])
      }
    })
  )
})

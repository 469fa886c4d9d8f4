import { expect, layer } from "@effect/vitest"
import { Effect, Schedule } from "effect"
import { gateway, TestGateway } from "../support/gateway.ts"

const form = (text: string, name = "flowline.yaml") => {
  const data = new FormData()
  data.set("file", new Blob([text]), name)
  return data
}

const generator = `
runtime: stream
dag:
  - type: generator_input
    settings: { messages: [one, two, three], count: 3 }
    publish: [ { stream: out } ]
  - type: show
    subscribe: [ { component: generator_input, stream: out } ]
`

/** Waits until the execution has ended and gives its detail. */
const ended = (client: TestGateway["Service"]["client"], tenant: string, flowlineId: string, executionId: string) =>
  client.executions.detail({ params: { tenant, flowlineId, executionId } }).pipe(
    Effect.flatMap((detail) =>
      detail.state === "PENDING" || detail.state === "RUNNING" ? Effect.fail("running" as const) : Effect.succeed(detail)
    ),
    Effect.retry({ schedule: Schedule.spaced(50), times: 300 })
  )

layer(gateway(), { excludeTestServices: true })("executions", (it) => {
  it.effect("saves, executes and follows a flowline", () =>
    Effect.gen(function* () {
      const { client } = yield* TestGateway
      const tenant = "mytenant"
      const saved = yield* client.flowlines.save({ params: { tenant }, query: {}, payload: form(generator) })
      expect(saved).toEqual({ index: "mytenant-flowlines", id: expect.stringMatching(/^[\w-]{20}$/), tenant })
      const { id } = yield* client.flowlines.execute({ params: { tenant, id: saved.id }, query: {} })
      expect(id).toMatch(new RegExp(`^${saved.id}-\\d{13}$`))
      const detail = yield* ended(client, tenant, saved.id, id)
      expect(detail).toMatchObject({ state: "SUCCEEDED", flowlineId: saved.id, version: 1, error: null, archive: null })
      const output = yield* client.executions.output({ params: { tenant, id }, query: {} })
      expect(output.lines.map((line) => line.text)).toEqual(["one", "two", "three"].map((m) => `{"message":"${m}"}`))
      const events = yield* client.executions.events({ params: { tenant, id }, query: {} })
      expect(events.map((event) => event.event)).toEqual(["stream.application.end", "stream.application.start"])
    })
  )
})

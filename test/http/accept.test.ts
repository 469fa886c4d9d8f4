import { describe, expect, it, layer } from "@effect/vitest"
import { Effect } from "effect"
import { formatOf, wantsEvents, wantsLines } from "../../src/services/http/OutputDocument.ts"
import { ended, flowlineForm, memoryGateway, raw, TestGateway } from "../support/gateway.ts"

const hello = `
runtime: stream
dag:
  - { type: generator_input, settings: { messages: [hello], count: 1 }, publish: [ { stream: greetings } ] }
  - { type: show, subscribe: [ { component: generator_input, stream: greetings } ] }
`

describe("Accept selects the format of lines", () => {
  it.each([
    [undefined, "json"],
    ["", "json"],
    ["*/*", "json"],
    ["text/html", "json"],
    ["text/event-stream;q=0", "json"],
    ["application/json;q=0, text/plain", "text"],
    ["application/json;q=0, */*", "text"],
    ["text/plain;q=0.9, application/x-ndjson", "ndjson"],
    ["text/plain, application/x-ndjson", "text"],
    ["application/x-ndjson, text/plain", "ndjson"],
    ["text/*", "text"],
    ["text/*, text/plain;q=0", "events"],
    ["*/*;q=0.1, TEXT/Event-Stream ; q=0.2", "events"],
    ["*/*, text/event-stream", "events"],
    ["application/json, text/plain, */*", "json"],
    ["text/html, application/xhtml+xml, */*;q=0.8", "json"],
    ["text/plain;q=x, application/x-ndjson;q=0.001", "ndjson"]
  ] as const)("%s: %s", (accept, format) => {
    expect(formatOf(accept)).toBe(format)
  })

  it("of those that an endpoint has", () => {
    expect(["text/plain, text/event-stream;q=0.5", "text/event-stream;q=0", "*/*"].map(wantsEvents)).toEqual([
      true,
      false,
      false
    ])
    expect(["text/plain, application/x-ndjson", "application/json, application/x-ndjson"].map(wantsLines)).toEqual([
      true,
      false
    ])
  })
})

layer(memoryGateway(), { excludeTestServices: true })("answers that Accept selects", (it) => {
  it.effect("say so, in every format and in 304", () =>
    Effect.gen(function* () {
      const { client } = yield* TestGateway
      const params = { tenant: "mytenant" }
      const { id } = yield* client.flowlines.save({ params, query: {}, payload: flowlineForm(hello) })
      const execution = yield* client.flowlines.execute({ params: { ...params, id }, query: {}, payload: null })
      yield* ended("mytenant", id, execution.id)
      const base = "/v1/mytenant/flowline/executions"
      for (const [path, accept, type] of [
        [`${base}/${execution.id}/output`, "application/json;q=0, text/plain", "text/plain; charset=utf-8"],
        [`${base}/${execution.id}/output`, "text/event-stream;q=0", "application/json"],
        [`${base}/${execution.id}/output`, "text/event-stream", "text/event-stream"],
        [`${base}/${execution.id}/events`, "text/event-stream", "text/event-stream"],
        [`${base}/${execution.id}/events`, "text/event-stream;q=0.1, application/json", "application/json"],
        ["/v1/mytenant/audit", "application/x-ndjson", "application/x-ndjson"],
        ["/v1/mytenant/audit", "*/*", "application/json"]
      ] as const) {
        const answer = yield* raw(path, { headers: { accept } })
        yield* Effect.promise(() => answer.arrayBuffer())
        const { headers } = answer
        expect([path, headers.get("content-type"), headers.get("vary")]).toEqual([
          path,
          type,
          expect.stringMatching(/^Accept(,|$)/)
        ])
        const etag = headers.get("etag")
        if (etag === null) continue
        const again = yield* raw(path, { headers: { accept, "if-none-match": etag } })
        expect([again.status, again.headers.get("vary")]).toEqual([304, expect.stringMatching(/^Accept(,|$)/)])
      }
    })
  )
})

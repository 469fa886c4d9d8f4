import { createServer, type IncomingMessage } from "node:http"
import { expect, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as Telemetry from "../src/layers/Telemetry.ts"
import { read } from "./support/documents.ts"
import { memoryGateway, raw, TestGateway, testSettings } from "./support/gateway.ts"
import { until } from "./support/process.ts"

/** What an OTLP receiver was sent, by path. */
const received = new Map<string, Array<string>>()

const bodyOf = async (request: IncomingMessage) => {
  let text = ""
  for await (const chunk of request) text += chunk
  return text
}

const receiver = Effect.acquireRelease(
  Effect.callback<{ readonly url: string; readonly close: () => void }>((resume) => {
    const server = createServer(async (request, response) => {
      const texts = received.get(request.url ?? "") ?? []
      received.set(request.url ?? "", texts)
      texts.push(await bodyOf(request))
      response.writeHead(200, { "content-type": "application/json" }).end("{}")
    })
    server.listen(0, "127.0.0.1", () => {
      const address = server.address()
      const port = typeof address === "object" && address !== null ? address.port : 0
      const close = () => {
        server.closeAllConnections()
        server.close()
      }
      resume(Effect.succeed({ url: `http://127.0.0.1:${port}`, close }))
    })
  }),
  ({ close }) => Effect.sync(close)
)

const Traced = Layer.unwrap(
  Effect.map(receiver, ({ url }) =>
    memoryGateway({ otlp: url }).pipe(
      Layer.provide(Telemetry.layer.pipe(Layer.provide(testSettings({ otlp: url, databaseUrl: "postgres://unused" }))))
    )
  )
)

layer(Traced, { excludeTestServices: true })("OTLP", (it) => {
  it.effect("receives a span for a request, and the metrics", () =>
    Effect.gen(function* () {
      yield* TestGateway
      const parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
      expect((yield* raw("/v1/mytenant/flowline", { headers: { traceparent: parent } })).status).toBe(200)
      const problem = yield* raw("/v1/mytenant/flowline/none", { headers: { traceparent: parent } })
      expect(yield* Effect.promise(() => problem.json())).toMatchObject({ traceId: "0af7651916cd43dd8448eb211c80319c" })
      const arrived = () =>
        received.get("/v1/traces")?.some((text) => text.includes("0af7651916cd43dd8448eb211c80319c")) === true &&
        received.get("/v1/metrics")?.some((text) => text.includes("flow_http_request_duration_seconds")) === true
      yield* until(Effect.sync(arrived), (all) => all)
      const version = { key: "service.version", value: { stringValue: JSON.parse(read("package.json")).version } }
      for (const path of ["/v1/traces", "/v1/metrics"]) {
        expect(received.get(path)?.[0]).toContain(JSON.stringify(version))
      }
    })
  )
})

import { createServer, type IncomingMessage, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { expect, it, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { vi } from "vitest"
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

/** Listens on a free port, and returns the address. */
const opened = (server: Server): Promise<string> =>
  new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => resolve(`http://127.0.0.1:${(server.address() as AddressInfo).port}`))
  })

it.live("a receiver that refuses, or is away, is told at once and not each time", () =>
  Effect.gen(function* () {
    const refusing = createServer((request, response) => {
      request.resume()
      response.writeHead(401).end()
    })
    const url = yield* Effect.acquireRelease(
      Effect.promise(() => opened(refusing)),
      () => Effect.sync(() => refusing.close())
    )
    const gone = createServer()
    const away = yield* Effect.promise(() => opened(gone))
    yield* Effect.promise(() => new Promise((resolve) => gone.close(resolve)))
    const console = vi.spyOn(globalThis.console, "error").mockImplementation(() => {})
    yield* Effect.addFinalizer(() => Effect.sync(() => console.mockRestore()))
    const lines = () => console.mock.calls.map(([line]) => JSON.parse(String(line)).message as string)
    for (const [address, reason] of [
      [url, "it answers with status 401"],
      [away, `connect ECONNREFUSED ${away.replace("http://", "")}`]
    ]) {
      const settings = testSettings({ otlp: address, logLevel: "info", databaseUrl: "postgres://unused" })
      yield* Effect.gen(function* () {
        yield* Effect.logInfo("something to send")
        const said = `The OTLP receiver does not take what was sent to ${address}/v1/logs: ${reason}`
        yield* until(Effect.sync(lines), (all) => all.includes(said))
        // A receiver that is away is tried again three times.
        expect(lines().filter((line) => line === said)).toHaveLength(1)
      }).pipe(Effect.provide(Layer.provide(Telemetry.layer, settings)), Effect.scoped)
      // The last attempts were made as the layer was closed.
      expect(lines().filter((line) => line.includes(`${address}/v1/logs`))).toHaveLength(1)
    }
  })
)

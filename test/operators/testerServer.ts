import { NodeHttpServer } from "@effect/platform-node"
import { Effect, Layer } from "effect"
import { HttpBody, HttpClient, HttpClientRequest, HttpRouter, HttpServer, HttpServerResponse } from "effect/http"
import { HttpApi, HttpApiBuilder } from "effect/http-api"
import { layer as pool } from "../../src/layers/operators/Pool.ts"
import { OperatorsApi } from "../../src/services/operators/Api.ts"
import { Operators } from "../../src/services/operators/Operators.ts"
import type { SampleResult } from "../../src/services/operators/OperatorTest.ts"
import { defaultLimits, Settings } from "../../src/services/shared/Settings.ts"

export const Api = HttpApi.make("operators-only").add(OperatorsApi)

const Handlers = HttpApiBuilder.group(
  Api,
  "operators",
  Effect.fn(function* (handlers) {
    const operators = yield* Operators
    return handlers.handleRaw("test", ({ params, request }) =>
      Effect.map(operators.test(params.operator, request), (json) =>
        HttpServerResponse.stream(json, { contentType: "application/json" })
      )
    )
  })
)

const settings = Settings.of({
  host: "127.0.0.1",
  port: 0,
  conf: "",
  data: "",
  defaultTenant: "mytenant",
  databaseUrl: undefined,
  blobs: "",
  logLevel: "none",
  otlp: undefined,
  limits: defaultLimits,
  storageDeadline: 5000
})

/** Serves the operator test and a page that answers at once, `/ping`. */
export const Served = HttpRouter.serve(
  Layer.mergeAll(
    HttpApiBuilder.layer(Api).pipe(Layer.provide(Handlers)),
    HttpRouter.add("GET", "/ping", HttpServerResponse.text("pong"))
  ),
  { disableLogger: true, disableListenLog: true }
).pipe(
  Layer.provide(Operators.layer),
  Layer.provide(pool),
  Layer.provide(Layer.succeed(Settings, settings)),
  Layer.provideMerge(NodeHttpServer.layerTest)
)

export const serverPort = Effect.map(HttpServer.HttpServer, ({ address }) => ("port" in address ? address.port : 0))

export interface Answer {
  readonly operator: string
  readonly total: number
  readonly matched: number
  readonly hints: ReadonlyArray<string>
  readonly results: ReadonlyArray<SampleResult>
}

type Parts = Readonly<Record<string, string | Uint8Array<ArrayBuffer>>>

/** Posts an operator test whose parts are files, as `curl -F name=@file` sends them. */
export const post = (operator: string, parts: Parts) => {
  const data = new FormData()
  for (const [name, value] of Object.entries(parts)) data.append(name, new Blob([value]), `${name}.txt`)
  return HttpClientRequest.post(`/v1/flower/${operator}`).pipe(
    HttpClientRequest.setBody(HttpBody.formData(data)),
    HttpClient.execute,
    Effect.flatMap((response) => Effect.map(response.text, (text) => ({ status: response.status, text })))
  )
}

/** The answer of a test that succeeds. */
export const test = (operator: string, parts: Parts) =>
  Effect.flatMap(post(operator, parts), ({ status, text }) =>
    status === 200
      ? Effect.sync(() => JSON.parse(text) as Answer)
      : Effect.die(new Error(`${status}: ${text.slice(0, 500)}`))
  )

/** The status and the problem of a test that is refused. */
export const refused = (operator: string, parts: Parts) =>
  Effect.map(post(operator, parts), ({ status, text }) => ({ status, problem: JSON.parse(text) as unknown }))

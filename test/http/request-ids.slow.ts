import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { expect, it, layer } from "@effect/vitest"
import { Context, Effect, Layer, Logger, Option, Schema } from "effect"
import { HttpServer, HttpServerRequest, HttpServerResponse } from "effect/http"
import * as Anonymous from "../../src/layers/access/Anonymous.ts"
import { withClientAddress } from "../../src/layers/http/answers/ClientAddress.ts"
import { authenticated } from "../../src/layers/http/guards/Authentication.ts"
import { trustedProxies } from "../../src/layers/http/server/Forwarded.ts"
import { nodeServer } from "../../src/layers/http/server/NodeServer.ts"
import { requestIdOf } from "../../src/layers/http/server/RequestIds.ts"
import { jsonLogger } from "../../src/layers/Telemetry.ts"
import { Authenticator } from "../../src/services/access/Authenticator.ts"
import { CurrentRequestId } from "../../src/services/shared/requests/RequestId.ts"
import { eventually } from "../support/process.ts"
import { type Running, site } from "../support/process-gateway.ts"
import { generator, tenantOf } from "../support/runs.ts"
import { exchange, rawGet, rawRequest } from "../support/socket.ts"

class Gateway extends Context.Service<Gateway, Running>()("test/http/Gateway") {
  static readonly layer = Layer.effect(
    Gateway,
    Effect.flatMap(site({ variables: { FLOW_TRUSTED_PROXIES: "loopback" } }), (here) =>
      Effect.promise(() => here.start())
    )
  )
}

interface Line {
  readonly requestId?: string
  readonly traceId?: string
  readonly remote?: string
  readonly path?: string
}

const linesOf = (stderr: string): ReadonlyArray<Line> =>
  stderr
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line))

layer(Gateway.layer, { excludeTestServices: true })("the id of a request", (it) => {
  it.effect("comes back with every answer, and stands in the log and in the problem", () =>
    Effect.gen(function* () {
      const { port, url, stderr } = yield* Gateway
      yield* Effect.promise(async () => {
        const tenant = tenantOf(url)
        const run = await tenant.run(generator(1, 1000))
        await tenant.ended(run)
        const output = `/v1/mytenant/flowline/executions/${run}/output`
        const tag = (await rawGet(port, "/v1/platform/properties")).headers.get("etag") ?? ""
        const cases: ReadonlyArray<readonly [number, string, string, Record<string, string>?, string?]> = [
          [200, "GET", "/v1/platform/tenant"],
          [200, "HEAD", "/v1/platform/properties"],
          [304, "GET", "/v1/platform/properties", { "If-None-Match": tag }],
          [200, "GET", output, { Accept: "text/event-stream" }],
          [200, "GET", "/v1/mytenant/conf/samples/access.log.gz"],
          [206, "GET", "/v1/mytenant/conf/samples/access.log.gz", { Range: "bytes=0-1" }],
          [204, "OPTIONS", "/v1/platform/tenant"],
          [404, "GET", "/v1/nosuch/archives"],
          [404, "GET", "/nosuch"],
          [405, "PATCH", "/v1/platform/tenant"],
          [415, "POST", "/v1/mytenant/search", { "Content-Type": "text/plain" }, "x"],
          [417, "POST", "/v1/mytenant/search", { Expect: "something" }, "x"],
          [421, "GET", "/", { Host: "evil.example" }],
          [200, "GET", "/metrics"],
          [200, "GET", "/health/ready"],
          [200, "GET", "/docs"],
          [200, "GET", "/openapi.json", { "Accept-Encoding": "gzip" }],
          [200, "GET", "/problems/not-found"]
        ]
        for (const [at, [status, method, path, headers = {}, body = ""]] of cases.entries()) {
          const id = `id.~_-${at}`
          const answer = await rawRequest(port, method, path, { ...headers, "X-Request-Id": id }, body)
          expect([path, answer.status, answer.headers.get("x-request-id")]).toEqual([path, status, id])
          if (status > 399) expect(JSON.parse(answer.body.toString()).requestId).toBe(id)
          await eventually(`${path} is logged`, () => linesOf(stderr()).some(({ requestId }) => requestId === id))
        }
      })
    })
  )

  it.effect("is a new one when there is none, or several, or one that is no safe word", () =>
    Effect.gen(function* () {
      const { port, stderr } = yield* Gateway
      yield* Effect.promise(async () => {
        const seen = new Set<string | undefined>()
        const wrong = ["", " ", "a b", 'a"b', "a,b", "ä", "<b>", "x".repeat(129), "a/b", "a\tb", "\u0080"]
        const head = "GET /v1/platform/tenant HTTP/1.1\r\nHost: a\r\nConnection: close\r\n"
        const sent = ["", ...wrong.map((id) => `X-Request-Id: ${id}\r\n`), "X-Request-Id: a\r\nx-request-id: b\r\n"]
        for (const header of sent) {
          const id = (await exchange(port, `${head}${header}\r\n`)).headers.get("x-request-id")
          expect([header, id]).toEqual([header, expect.stringMatching(/^[A-Za-z0-9_-]{12}-[0-9a-z]+$/)])
          seen.add(id)
        }
        // Data that is not HTTP has no id.
        const malformed = await exchange(port, "NO HTTP\r\nX-Request-Id: mine\r\n\r\n")
        expect(malformed.status).toBe(400)
        const id = malformed.headers.get("x-request-id")
        seen.add(id)
        expect(JSON.parse(malformed.body.toString()).requestId).toBe(id)
        await eventually("it is logged", () => linesOf(stderr()).some(({ requestId }) => requestId === id))
        expect(seen.size).toBe(sent.length + 1)
        const longest = "x".repeat(128)
        const { headers } = await rawGet(port, "/v1/platform/tenant", { "X-Request-Id": longest })
        expect(headers.get("x-request-id")).toBe(longest)
      })
    })
  )

  it.effect("is logged with the address of the client, which a trusted proxy tells", () =>
    Effect.gen(function* () {
      const { port, stderr } = yield* Gateway
      yield* Effect.promise(async () => {
        const remotes: ReadonlyArray<readonly [Record<string, string>, string]> = [
          [{ "X-Forwarded-For": "198.51.100.7, 192.0.2.1" }, "192.0.2.1"],
          [{ Forwarded: 'for="[2001:DB8::1]:80"' }, "2001:db8::1"],
          [{ "X-Forwarded-For": '1.2.3.4"}\\' }, "127.0.0.1"],
          [{}, "127.0.0.1"]
        ]
        for (const [at, [headers, remote]] of remotes.entries()) {
          const id = `remote-${at}`
          await rawGet(port, "/v1/platform/tenant", { ...headers, "X-Request-Id": id })
          const found = () => linesOf(stderr()).find(({ requestId }) => requestId === id)
          await eventually("it is logged", () => found() !== undefined)
          expect(found()?.remote).toBe(remote)
        }
      })
    })
  )
})

it.effect.prop(
  "an id is taken as it is, or is a new one",
  { id: Schema.String },
  ({ id }) => Effect.sync(() => expect(requestIdOf(id) === id).toBe(/^[\w.~-]{1,128}$/.test(id))),
  { arbitrary: { runs: 500 } }
)

it.live("handlers and their log lines know the id, the client and the scheme", () =>
  Effect.gen(function* () {
    const logged: Array<unknown> = []
    const log = Logger.map(jsonLogger, (line) => void logged.push(JSON.parse(line)))
    const app = Effect.gen(function* () {
      yield* Effect.logInfo("asked")
      const { protocol, remoteAddress } = yield* HttpServerRequest.HttpServerRequest
      const known = [yield* CurrentRequestId, Option.getOrUndefined(remoteAddress), protocol ?? "none"]
      return HttpServerResponse.jsonUnsafe(known)
    })
    const authenticator = yield* Authenticator
    const asked = HttpServerRequest.HttpServerRequest.use((request) => authenticated(authenticator, request, () => app))
    const serving = (proxies: ReadonlyArray<string>) =>
      HttpServer.serve(
        HttpServerRequest.HttpServerRequest.use((given) =>
          Effect.provideService(asked, HttpServerRequest.HttpServerRequest, withClientAddress(given))
        )
      ).pipe(
        Layer.provideMerge(
          NodeHttpServer.layerServer(() => nodeServer(() => {}, { proxies: trustedProxies(proxies) }), {
            port: 0,
            host: "127.0.0.1"
          })
        ),
        Layer.provide(Logger.layer([log]))
      )
    const headers = { "X-Request-Id": "mine", "X-Forwarded-For": "192.0.2.1", "X-Forwarded-Proto": "https" }
    const told = Effect.fnUntraced(function* (proxies: ReadonlyArray<string>) {
      const context = yield* Layer.build(serving(proxies))
      const port = yield* Effect.provide(
        HttpServer.addressFormattedWith((address: string) => Effect.succeed(Number(new URL(address).port))),
        context
      )
      const { body } = yield* Effect.promise(() => rawGet(port, "/", headers))
      return JSON.parse(body.toString())
    })
    expect(yield* told(["loopback"])).toEqual(["mine", "192.0.2.1", "https"])
    expect(yield* told(["10.0.0.0/8"])).toEqual(["mine", "127.0.0.1", "none"])
    yield* Effect.logInfo("not asked").pipe(Effect.provide(Logger.layer([log])))
    expect(logged).toEqual([
      expect.objectContaining({ message: "asked", level: "INFO", requestId: "mine" }),
      expect.objectContaining({ message: "asked", level: "INFO", requestId: "mine" }),
      expect.not.objectContaining({ requestId: expect.anything() })
    ])
    expect(yield* CurrentRequestId).toBe("")
  }).pipe(Effect.scoped, Effect.provide(Anonymous.authenticator))
)

import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { FlowGateway, withHeaders } from "../../packages/client/src/FlowGateway.ts"
import { connectLight, form } from "../../packages/client/src/light.ts"
import { connect, GatewayError } from "../../packages/client/src/promise.ts"
import { memoryGateway, TestGateway } from "../support/gateway.ts"

const missing = { params: { tenant: "mytenant", id: "nothing" }, query: {} }
const foreign = { origin: "http://elsewhere.example", "sec-fetch-site": "cross-site" }
const id = /^[\w-]{8,}$/

layer(memoryGateway(), { excludeTestServices: true })("the problems of the client", (it) => {
  it.effect.each([
    ["promises", connect],
    ["the light client", connectLight]
  ] as const)("have all that is sent: %s", ([, connected]) =>
    Effect.gen(function* () {
      const { url } = yield* TestGateway
      const { flowlines } = connected(url)
      yield* Effect.promise(async () => {
        const headers = { "x-request-id": "the-request-1" }
        const declared = await flowlines.get(missing, { headers }).catch((error: unknown) => error)
        expect(declared).toBeInstanceOf(GatewayError)
        expect((declared as GatewayError).problem).toEqual({
          type: "/problems/not-found",
          title: "Not found",
          status: 404,
          detail: 'There is no flowline "nothing" of the tenant "mytenant"',
          instance: "/v1/mytenant/flowline/nothing",
          kind: "flowline",
          id: "nothing",
          tenant: "mytenant",
          traceId: expect.stringMatching(id),
          requestId: "the-request-1"
        })
        // No endpoint declares it.
        const around = await flowlines.remove(missing, { headers: foreign }).catch((error: unknown) => error)
        expect(around).toBeInstanceOf(GatewayError)
        expect(around).toMatchObject({
          status: 403,
          type: "/problems/foreign-origin",
          title: "Request from another site",
          detail: expect.any(String),
          problem: { instance: "/v1/mytenant/flowline/nothing", traceId: expect.stringMatching(id) }
        })
      })
    })
  )

  it.effect.each([
    ["promises", connect],
    ["the light client", connectLight]
  ] as const)("say that a page in HTML is no answer of the gateway: %s", ([, connected]) =>
    Effect.promise(async () => {
      const server = createServer((_, response) => {
        response.writeHead(200, { "content-type": "text/html; charset=utf-8" }).end("<h1>Log in</h1>")
      })
      await new Promise<void>((done) => server.listen(0, "127.0.0.1", done))
      try {
        const { flowlines, secrets, files } = connected(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
        const { params } = missing
        const calls = {
          json: () => flowlines.list({ params, query: {} }),
          nothing: () => secrets.remove({ params: { ...params, name: "SECRET" } }),
          bytes: () => files.read({ params: { ...params, path: "data/a.csv" }, query: {} })
        }
        for (const [kind, call] of Object.entries<() => Promise<unknown>>(calls)) {
          const error = await call().catch((error: unknown) => error)
          expect([kind, error]).toEqual([kind, expect.any(GatewayError)])
          expect(error).toMatchObject({ status: 200, type: undefined })
          expect((error as GatewayError).message).toContain("A page in HTML came instead of the gateway's answer")
        }
      } finally {
        server.closeAllConnections()
        server.close()
      }
    })
  )

  it.effect.each([
    ["promises", connect],
    ["the light client", connectLight]
  ] as const)("do not come with pages in HTML that the gateway stores: %s", ([, connected]) =>
    Effect.gen(function* () {
      const { url } = yield* TestGateway
      const { registry } = connected(url)
      const { tenant } = missing.params
      const text = "<h1>A report</h1>"
      yield* Effect.promise(async () => {
        const payload = form({ path: "report.html", file: [new Blob([text], { type: "text/html" }), "report.html"] })
        await registry.create({ params: { tenant }, payload })
        const bytes = await registry.download({ params: { tenant, path: "report.html" }, query: {} })
        expect(await new Response(bytes).text()).toBe(text)
      })
    })
  )

  it.effect("have the ids in programs with Effect, too", () =>
    Effect.gen(function* () {
      const { url } = yield* TestGateway
      const { flowlines } = yield* FlowGateway(url)
      const call = Effect.catchTag(flowlines.get(missing), "NotFound", ({ requestId, traceId }) =>
        Effect.succeed([requestId, traceId])
      )
      expect(yield* withHeaders({ "x-request-id": "the-request-2" })(call)).toEqual([
        "the-request-2",
        expect.stringMatching(id)
      ])
    })
  )

  it.effect("are also what has another status than the whole answer: parts, and what has not changed", () =>
    Effect.gen(function* () {
      const { url } = yield* TestGateway
      const { conf } = connect(url)
      const request = { params: { tenant: "mytenant", path: "patterns/custom" } }
      yield* Effect.promise(async () => {
        const tag = (await fetch(`${url}/v1/mytenant/conf/patterns/custom`, { method: "HEAD" })).headers.get("etag")!
        for (const [status, headers] of [
          [206, { range: "bytes=1-3" }],
          [304, { "if-none-match": tag }]
        ] as const) {
          const failure = await conf.read(request, { headers }).catch((error: unknown) => error)
          expect(failure).toBeInstanceOf(GatewayError)
          expect(failure).toMatchObject({ status, type: undefined })
        }
      })
    })
  )

  it.effect("are told of statuses that no endpoint has, and of what is no problem", () =>
    Effect.promise(async () => {
      const answers = [
        [
          431,
          "application/problem+json",
          '{"type":"/problems/headers-too-large","status":431,"title":"T","detail":"D"}'
        ],
        [500, "application/problem+json", '{"type":"/problems/internal-error","status":500,"title":"T","detail":"D"}'],
        [502, "text/html", "<h1>Bad gateway</h1>"],
        [502, "application/problem+json", "cut"]
      ] as const
      let answered = 0
      const server = createServer((_, response) => {
        const [status, type, body] = answers[answered++]!
        response.writeHead(status, { "content-type": type }).end(body)
      })
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
      try {
        const { platform } = connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
        const failures: Array<unknown> = []
        for (const _ of answers) {
          const failure = (await platform.tenant().catch((error: unknown) => error)) as GatewayError
          failures.push([failure.status, failure.type, failure.detail])
        }
        expect(failures).toEqual([
          [431, "/problems/headers-too-large", "D"],
          [500, "/problems/internal-error", "D"],
          [502, undefined, undefined],
          [502, undefined, undefined]
        ])
      } finally {
        server.closeAllConnections()
        server.close()
      }
    })
  )
})

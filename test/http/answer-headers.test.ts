import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { ended, flowlineForm, memoryGateway, TestGateway } from "../support/gateway.ts"
import { openSocket, parseAnswer, type RawAnswer, rawRequest } from "../support/socket.ts"

const ask = (method: string, path: string, headers: Record<string, string> = {}, body = "") =>
  Effect.flatMap(TestGateway, ({ url }) =>
    Effect.promise(() => rawRequest(Number(new URL(url).port), method, path, headers, body))
  )

const text =
  "runtime: stream\ndag:\n  - type: generator_input\n    settings: { messages: [a], count: 1 }\n" +
  "    publish: [ { stream: o } ]\n  - type: show\n    subscribe: [ { component: generator_input, stream: o } ]\n"

const page = "https://app.example.com"

/** Answers of every kind that there is, each with the request that has led to it. */
const answers = Effect.gen(function* () {
  const { client, url } = yield* TestGateway
  const tenant = "mytenant"
  const { id } = yield* client.flowlines.save({ params: { tenant }, query: {}, payload: flowlineForm(text) })
  const run = yield* client.flowlines.execute({ params: { tenant, id }, query: {} })
  yield* ended(tenant, id, run.id)
  const output = `/v1/${tenant}/flowline/executions/${run.id}/output`
  const properties = yield* ask("GET", "/v1/platform/properties")
  const kinds: ReadonlyArray<readonly [number, string, string, Record<string, string>?, string?]> = [
    [200, "GET", "/v1/platform/tenant"],
    [200, "HEAD", "/v1/platform/properties"],
    [304, "GET", "/v1/platform/properties", { "If-None-Match": properties.headers.get("etag") ?? "" }],
    [200, "GET", output, { Accept: "text/event-stream" }],
    [200, "GET", output, { Accept: "text/plain" }],
    [200, "GET", "/v1/mytenant/conf"],
    [200, "GET", "/v1/mytenant/conf/samples/access.log.gz"],
    [206, "GET", "/v1/mytenant/conf/samples/access.log.gz", { Range: "bytes=0-1" }],
    [416, "GET", "/v1/mytenant/conf/samples/access.log.gz", { Range: "bytes=999999999-" }],
    [200, "GET", "/v1/mytenant/documentation", { Accept: "text/html" }],
    [200, "GET", "/v1/mytenant/documentation", { Accept: "text/markdown" }],
    [200, "DELETE", "/v1/mytenant/archives"],
    [204, "OPTIONS", "/v1/platform/tenant"],
    [204, "OPTIONS", "/v1/platform/tenant", { Origin: page, "Access-Control-Request-Method": "GET" }],
    [200, "GET", "/v1/platform/tenant", { Origin: page }],
    [404, "GET", "/nosuch"],
    [405, "PATCH", "/v1/platform/tenant"],
    [417, "POST", "/v1/mytenant/search", { Expect: "something" }, "x"],
    [421, "GET", "/", { Host: "evil.example" }],
    [200, "GET", "/metrics"],
    [200, "GET", "/health/ready"],
    [200, "GET", "/docs"],
    [200, "GET", "/openapi.json"],
    [200, "GET", "/problems/not-found"]
  ]
  const made = yield* Effect.forEach(kinds, ([status, method, path, headers, body]) =>
    Effect.map(ask(method, path, headers, body), (answer) => {
      assert.deepStrictEqual([path, answer.status], [path, status])
      return [`${method} ${path}`, answer] as const
    })
  )
  const malformed = yield* Effect.promise(async () => {
    const socket = await openSocket(Number(new URL(url).port))
    socket.write("NO HTTP\r\n\r\n")
    await socket.closed
    return parseAnswer(socket.received())
  })
  return [...made, ["malformed", malformed] as const]
})

const once = (answer: RawAnswer, name: string): boolean =>
  answer.bytes.toString("latin1").split("\r\n\r\n", 1)[0]!.toLowerCase().split(`\r\n${name}:`).length === 2

layer(memoryGateway({ cors: [page] }), { excludeTestServices: true })("every answer", (it) => {
  it.effect("has what keeps browsers from misusing it, once, and says nothing of its server", () =>
    Effect.gen(function* () {
      for (const [what, answer] of yield* answers) {
        const { headers } = answer
        const found = ["x-content-type-options", "referrer-policy", "cross-origin-resource-policy"].map((name) => [
          headers.get(name),
          once(answer, name)
        ])
        assert.deepStrictEqual(
          [what, ...found],
          [what, ["nosniff", true], ["no-referrer", true], ["same-origin", true]]
        )
        assert.isTrue(once(answer, "x-request-id"), what)
        for (const name of ["server", "x-powered-by", "strict-transport-security"]) assert.isFalse(headers.has(name))
      }
    })
  )

  it.effect("to a read is for the caches of its client alone, which have to ask each time", () =>
    Effect.gen(function* () {
      for (const [what, answer] of yield* answers) {
        if (!/^(GET|HEAD) /.test(what)) continue
        const control = answer.headers.get("cache-control") ?? ""
        assert.isTrue(["private, no-cache", "no-store"].includes(control), `${what}: ${control}`)
        assert.isTrue(once(answer, "cache-control"), what)
      }
    })
  )

  it.effect("that a browser shows as a page may run and frame nothing but what it needs", () =>
    Effect.gen(function* () {
      const policies: ReadonlyArray<readonly [string, string, RegExp]> = [
        ["/docs", "text/html", /^default-src 'none'; script-src 'unsafe-inline'; .*frame-ancestors 'none'$/],
        ["/v1/mytenant/documentation", "text/html", /^default-src 'none'; img-src .*frame-ancestors 'none'; sandbox/],
        ["/v1/mytenant/documentation", "text/markdown", /^sandbox allow-same-origin; frame-ancestors 'self'$/],
        ["/v1/mytenant/conf/samples/access.log.gz", "*/*", /^sandbox allow-same-origin; frame-ancestors 'self'$/],
        ["/problems/not-found", "text/html", /^default-src 'none'; frame-ancestors 'none'; sandbox$/]
      ]
      for (const [path, accept, policy] of policies) {
        const { headers } = yield* ask("GET", path, { Accept: accept })
        assert.match(headers.get("content-security-policy") ?? "", policy, path)
      }
    })
  )

  it.effect("has a small head", () =>
    Effect.gen(function* () {
      const { bytes } = yield* ask("GET", "/v1/platform/tenant")
      // The body of this one has 21 bytes; its head should not be much more than what it promises.
      assert.isBelow(bytes.indexOf("\r\n\r\n"), 520)
    })
  )
})

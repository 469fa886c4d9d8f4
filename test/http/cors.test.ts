import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { table } from "../../src/Http.ts"
import { Readiness } from "../../src/layers/http/endpoints/Readiness.ts"
import { exposedHeaders, requestHeaders } from "../../src/services/shared/openapi/DescribedHeaders.ts"
import * as Memory from "../memory/Memory.ts"
import { ended, flowlineForm, served, TestGateway, testSettings } from "../support/gateway.ts"
import { operations } from "../support/operations.ts"
import { type RawAnswer, rawRequest } from "../support/socket.ts"

const page = "https://app.example.com"
const local = "http://localhost:3000"
const down = Layer.succeed(Readiness, { checks: new Map([["data", Effect.fail("down")]]), defects: new Map() })

const gatewayFor = (cors: ReadonlyArray<string>) =>
  served(Layer.merge(Memory.layer, down)).pipe(
    Layer.provideMerge(testSettings({ databaseUrl: "postgres://unused", cors })),
    Layer.orDie
  )

const ask = (method: string, path: string, headers: Record<string, string> = {}, body = "") =>
  Effect.flatMap(TestGateway, ({ url }) =>
    Effect.promise(() => rawRequest(Number(new URL(url).port), method, path, headers, body))
  )

const preflight = (origin: string, method: string, path: string, more: Record<string, string> = {}) =>
  ask("OPTIONS", path, { Origin: origin, "Access-Control-Request-Method": method, ...more })

const listOf = (value: string | undefined) => (value ?? "").toLowerCase().split(", ")
const grantOf = ({ headers }: RawAnswer) => headers.get("access-control-allow-origin")
const corsOf = ({ headers }: RawAnswer) => [...headers.keys()].filter((name) => name.startsWith("access-control-"))

const list = "/v1/mytenant/archives"

layer(gatewayFor([page, local]), { excludeTestServices: true })("a page of a listed origin", (it) => {
  it.effect("may read answers and their headers, and change things", () =>
    Effect.gen(function* () {
      for (const origin of [page, local]) {
        for (const [method, path, status] of [
          ["GET", list, 200],
          ["HEAD", list, 200],
          ["DELETE", list, 200],
          ["GET", "/openapi.json", 200]
        ] as const) {
          const answer = yield* ask(method, path, { Origin: origin, "Sec-Fetch-Site": "cross-site" })
          assert.deepStrictEqual([method, answer.status, grantOf(answer)], [method, status, origin])
          assert.deepStrictEqual(listOf(answer.headers.get("vary")).includes("origin"), true)
          assert.strictEqual(answer.headers.get("access-control-allow-credentials"), "true")
          assert.includeMembers(
            listOf(answer.headers.get("access-control-expose-headers")),
            exposedHeaders.map((name) => name.toLowerCase())
          )
        }
      }
    })
  )

  it.effect("is told by a preflight what it may send, whatever the path", () =>
    Effect.gen(function* () {
      const paths = operations.map(({ method, path }) => [method, path.replaceAll(/\{\w+\}/g, "x")] as const)
      for (const [method, path] of [...paths, ["GET", "/v1/nosuch/flowline"], ["PUT", "/nosuch"]] as const) {
        const answer = yield* preflight(page, method, path)
        assert.deepStrictEqual([path, answer.status, grantOf(answer)], [path, 204, page])
        assert.include(listOf(answer.headers.get("access-control-allow-methods")), method.toLowerCase())
        assert.isAbove(Number(answer.headers.get("access-control-max-age")), 0)
        assert.isFalse(answer.headers.has("access-control-allow-private-network"))
      }
      const { headers } = yield* preflight(page, "PUT", list, { "Access-Control-Request-Private-Network": "true" })
      assert.strictEqual(headers.get("access-control-allow-private-network"), "true")
      const taken = [...Object.keys(requestHeaders), "Content-Type", "Authorization"]
      assert.includeMembers(
        listOf(headers.get("access-control-allow-headers")),
        taken.map((name) => name.toLowerCase())
      )
      const known = ["/v1/platform/tenant", ...paths.map(([, path]) => path)].flatMap((path) => [
        ...(table.find(path)?.methods ?? [])
      ])
      assert.includeMembers(
        listOf(headers.get("access-control-allow-methods")),
        known.map((method) => method.toLowerCase())
      )
    })
  )

  it.effect("may read problems of every kind", () =>
    Effect.gen(function* () {
      for (const [method, path, status, headers] of [
        ["GET", "/v1/nosuch/archives", 404],
        ["GET", "/nosuch", 404],
        ["GET", `${list}?limit=x`, 400],
        ["PATCH", list, 405],
        ["POST", "/v1/mytenant/search", 415, { "Content-Type": "text/plain" }],
        ["GET", "/health/ready", 503],
        ["GET", list, 421, { Host: "evil.example" }],
        ["POST", list, 417, { Expect: "something" }]
      ] as ReadonlyArray<[string, string, number, Record<string, string>?]>) {
        const answer = yield* ask(method, path, { Origin: page, ...headers }, method === "POST" ? "x" : "")
        assert.deepStrictEqual([method, path, answer.status, grantOf(answer)], [method, path, status, page])
        assert.strictEqual(answer.headers.get("content-type"), "application/problem+json")
      }
    })
  )

  it.effect("may follow events", () =>
    Effect.gen(function* () {
      const { client } = yield* TestGateway
      const text =
        "runtime: stream\ndag:\n  - type: generator_input\n    settings: { messages: [a], count: 1 }\n" +
        "    publish: [ { stream: o } ]\n  - type: show\n    subscribe: [ { component: generator_input, stream: o } ]\n"
      const tenant = "mytenant"
      const { id } = yield* client.flowlines.save({ params: { tenant }, query: {}, payload: flowlineForm(text) })
      const run = yield* client.flowlines.execute({ params: { tenant, id }, query: {} })
      yield* ended(tenant, id, run.id)
      const path = `/v1/${tenant}/flowline/executions/${run.id}/output`
      const answer = yield* ask("GET", path, { Origin: page, Accept: "text/event-stream" })
      assert.deepStrictEqual([answer.headers.get("content-type"), grantOf(answer)], ["text/event-stream", page])
      assert.include(answer.body.toString(), "event: end")
    })
  )
})

layer(gatewayFor([page]), { excludeTestServices: true })("a page of another origin", (it) => {
  const others = ["https://evil.example", "null", "*", `${page}:8443`, "http://app.example.com", `${page}.evil.example`]

  it.effect("is refused as without the setting, and told nothing", () =>
    Effect.gen(function* () {
      for (const origin of [...others, page.toUpperCase(), `${page}, ${page}`]) {
        const changed = yield* ask("DELETE", list, { Origin: origin })
        assert.deepStrictEqual([origin, changed.status, corsOf(changed)], [origin, 403, []])
        const read = yield* ask("GET", list, { Origin: origin })
        assert.deepStrictEqual([origin, read.status, corsOf(read)], [origin, 200, []])
        // A cache must not give this answer to the listed page.
        assert.include(listOf(read.headers.get("vary")), "origin")
        const asked = yield* preflight(origin, "DELETE", list)
        assert.deepStrictEqual([origin, asked.status, corsOf(asked)], [origin, 204, []])
        assert.strictEqual(asked.headers.get("allow"), "DELETE, GET, HEAD")
      }
      const none = yield* ask("DELETE", list, { "Sec-Fetch-Site": "cross-site" })
      assert.strictEqual(none.status, 403)
    })
  )

  it.effect("cannot get a name of its own answered by a preflight of the listed one", () =>
    Effect.gen(function* () {
      const answer = yield* preflight(page, "DELETE", list, { Host: "evil.example" })
      assert.strictEqual(answer.status, 421)
    })
  )
})

layer(gatewayFor([]), { excludeTestServices: true })("without the setting", (it) => {
  it.effect("no answer has a header for pages", () =>
    Effect.gen(function* () {
      for (const answer of [yield* ask("GET", list, { Origin: page }), yield* preflight(page, "GET", list)]) {
        assert.deepStrictEqual([corsOf(answer), answer.headers.get("vary")], [[], undefined])
      }
    })
  )
})

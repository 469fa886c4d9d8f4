import { assert, layer } from "@effect/vitest"
import { Effect, Schema, type SchemaAST } from "effect"
import { HttpApi } from "effect/http-api"
import { endpointTable } from "../../packages/client/src/EndpointTable.ts"
import { connectLight, form, GatewayError } from "../../packages/client/src/light.ts"
import { connect } from "../../packages/client/src/promise.ts"
import { Api } from "../../src/Api.ts"
import { memoryGateway, TestGateway } from "../support/gateway.ts"

const params = { tenant: "mytenant" }

/** Whether a schema reads another value than the JSON that is sent. */
const transforms = (ast: unknown, seen = new Set<unknown>()): boolean => {
  if (typeof ast !== "object" || ast === null || seen.has(ast)) return false
  seen.add(ast)
  const { encoding, ...parts } = ast as SchemaAST.AST & Record<string, unknown>
  // Paths are texts on both sides, and are not changed on their way out.
  if (encoding !== undefined) return !(ast as SchemaAST.AST)._tag.startsWith("String")
  const below = ["propertySignatures", "indexSignatures", "elements", "rest", "types", "type", "parameter"]
  return below.some((name) => [Reflect.get(parts, name)].flat().some((part) => transforms(part, seen)))
}

layer(memoryGateway(), { excludeTestServices: true })("the light client", (it) => {
  it.effect("has every endpoint", () =>
    Effect.gen(function* () {
      const { url } = yield* TestGateway
      const { follow: _, ...whole } = connect(url)
      const namesOf = (client: object) =>
        Object.entries(client).map(([group, methods]) => [group, Object.keys(methods).sort()])
      assert.deepStrictEqual(namesOf(connectLight(url)).sort(), namesOf(whole).sort())
    })
  )

  it.effect("may take answers as they are sent, as no answer has another form in its schema", () =>
    Effect.sync(() => {
      const table = endpointTable()
      const wrong: Array<string> = []
      HttpApi.reflect(Api, {
        onGroup: () => {},
        onEndpoint: ({ endpoint, group }) => {
          if (table[group.identifier]?.[endpoint.identifier]?.isStream) return
          for (const schema of endpoint.success) {
            // A stream of values has their schema within its own.
            const body = "schema" in schema && Schema.isSchema(schema.schema) ? schema.schema : schema
            if (transforms(body.ast)) wrong.push(`${group.identifier}.${endpoint.identifier}`)
          }
        }
      })
      assert.deepStrictEqual(wrong, [])
    })
  )

  it.effect("refuses a form with a stream, which it would send as an empty file", () =>
    Effect.gen(function* () {
      const { url } = yield* TestGateway
      const { registry } = connectLight(url)
      const stored = { params: { ...params, path: "streamed.txt" }, query: {} }
      yield* Effect.promise(async () => {
        const payload = form({ path: "streamed.txt", file: [new Blob(["text"]).stream(), "x.txt"] })
        const refused = await registry.create({ params, payload }).catch((error) => error)
        assert.instanceOf(refused, GatewayError)
        assert.match(refused.message, /sends no streams/)
        assert.strictEqual((await registry.metadata(stored).catch((error) => error)).status, 404)
      })
    })
  )

  it.effect(
    "answers as the whole client does: JSON, versions, streams, problems, times and truth values in queries",
    () =>
      Effect.gen(function* () {
        const { url } = yield* TestGateway
        const light = connectLight(`${url}/`)
        const whole = connect(url)
        yield* Effect.promise(async () => {
          assert.deepStrictEqual(await light.platform.tenant(), await whole.platform.tenant())
          const input = {
            params: { operator: "grok" },
            query: {},
            payload: () => form({ input: "12", pattern: "%{INT:n}" })
          }
          const tested = await light.operators.test({ ...input, payload: input.payload() })
          assert.deepStrictEqual(tested.results[0]?.output, { n: "12" })
          const payload = form({ path: "a b/ü.txt", file: [new Blob(["text"]), "x.txt"] })
          const made = await light.registry.create({ params, payload })
          assert.strictEqual(made.version, 1)
          const texts: Array<string> = []
          const reading = connectLight(url, {
            parse: (text) => {
              texts.push(text)
              return JSON.parse(text)
            }
          })
          const { tenant } = await reading.platform.tenant()
          assert.deepStrictEqual(texts, [JSON.stringify({ tenant })])
          const stream = await light.registry.download({ params: { ...params, path: "a b/ü.txt" }, query: {} })
          assert.strictEqual(await new Response(stream).text(), "text")
          assert.deepStrictEqual(
            await light.executions.list({ params, query: { from: 0, to: 1000, limit: 5 } }),
            await whole.executions.list({ params, query: { from: 0, to: 1000, limit: 5 } })
          )
          for (const version of ["1.0.0", "2.0.0"]) {
            const manifest = `{ "group": "a", "artifact": "b", "version": "${version}", "type": "FILE" }`
            await whole.resources.upload({
              params,
              payload: form({ input: [version, "x"], manifest: [manifest, "m"] })
            })
          }
          for (const { resources } of [light, whole]) {
            const listed = [true, false].map((all) => resources.list({ params, query: { all, artifact: "b" } }))
            assert.deepStrictEqual(
              (await Promise.all(listed)).map((found) => found.map(({ version }) => version)),
              [["1.0.0", "2.0.0"], ["2.0.0"]]
            )
          }
          const failure = await light.flowlines
            .get({ params: { ...params, id: "no/thing" }, query: {} })
            .catch((error) => error)
          assert.instanceOf(failure, GatewayError)
          assert.deepStrictEqual([failure.status, failure.type], [404, "/problems/not-found"])
          const ended = await light.platform.tenant(undefined, { signal: AbortSignal.abort() }).catch((error) => error)
          assert.strictEqual(ended.name, "AbortError")
          const lost = await connectLight("http://127.0.0.1:1")
            .platform.tenant()
            .catch((error) => error)
          assert.instanceOf(lost, GatewayError)
          assert.isUndefined(lost.status)
        })
      })
  )
})

import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { headFaults } from "../support/described.ts"
import { ended, gateway, raw, TestGateway } from "../support/gateway.ts"
import { callsOf } from "../support/generatedCalls.ts"
import { formOf, operations } from "../support/operations.ts"
import { seed } from "../support/random.ts"

/** Calls for each operation. Set `FLOW_GENERATED_CALLS` to make more. */
const count = Number(process.env["FLOW_GENERATED_CALLS"] ?? 3)

/** The problems that have status 500 by contract. */
const contracted = ["/problems/invalid-operator", "/problems/resource-not-created"]

// Executions and jobs that the calls start are to wait, not to run.
const settings = { runs: { all: 1, each: 1 }, jobs: { all: 1, each: 1 } }

/** Stores the objects that the examples name, so that calls find something. */
const stored = Effect.gen(function* () {
  const { client, settings } = yield* TestGateway
  const tenant = "mytenant"
  const area = join(settings.data, "blobs", tenant, "data/lists")
  mkdirSync(area, { recursive: true })
  writeFileSync(join(area, "blocked.csv"), "203.0.113.9\n")
  const example = (id: string) => {
    const { operation } = operations.find((one) => one.id === id)!
    return formOf(operation.requestBody?.content["multipart/form-data"]?.example as Record<string, string>)
  }
  const { id } = yield* client.flowlines.save({ params: { tenant }, query: {}, payload: example("flowlines.save") })
  const execution = yield* client.flowlines.execute({ params: { tenant, id }, query: {} })
  yield* client.resources.upload({ params: { tenant }, payload: example("resources.upload") })
  yield* client.registry.create({ params: { tenant }, payload: example("registry.create") })
  const name = "lists/blocked.csv"
  yield* client.stored.register({ params: { tenant, name }, payload: example("stored.register") })
  yield* ended(tenant, id, execution.id)
  return { id: [id, execution.id], flowlineId: [id], executionId: [execution.id] }
})

layer(gateway(settings), { excludeTestServices: true })("calls made from the description", (it) => {
  it.effect("find no answer that is not declared, no error of the server, and no wrong value that is taken", () =>
    Effect.gen(function* () {
      const faults: Array<string> = []
      const known = yield* stored
      const order = ["GET", "POST", "PUT", "DELETE"]
      const calls = operations
        .toSorted((a, b) => order.indexOf(a.method) - order.indexOf(b.method))
        .flatMap((operation) => callsOf(operation, { count, seed, known }))
      yield* Effect.forEach(
        calls,
        Effect.fnUntraced(function* ({ path, method, headers, body, isInvalid }) {
          const answer = yield* raw(path, { method, headers, ...(body === undefined ? {} : { body }) })
          const { status } = answer
          const isStream = answer.headers.get("content-type") === "text/event-stream"
          const text = isStream ? "" : yield* Effect.promise(() => answer.text())
          if (isStream) yield* Effect.promise(async () => answer.body?.cancel())
          const found = [...headFaults({ method, path, status, headers: answer.headers })]
          const type = status < 400 ? "" : (JSON.parse(text) as { readonly type: string }).type
          if (status >= 500 && !contracted.includes(type)) found.push("an error of the server")
          if (isInvalid && status < 300) found.push("a wrong value was taken")
          for (const fault of found) {
            faults.push(`${status} ${fault}: ${method} ${path} ${JSON.stringify(headers)} ${text.slice(0, 300)}`)
          }
        }),
        { concurrency: 4 }
      )
      expect(faults, `FLOW_TEST_SEED=${seed} FLOW_GENERATED_CALLS=${count}`).toEqual([])
      expect(calls.length).toBe(operations.length * count)
    })
  )
})

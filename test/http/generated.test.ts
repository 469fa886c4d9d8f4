import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { headFaults } from "../support/described.ts"
import { gateway, raw } from "../support/gateway.ts"
import { callsOf } from "../support/generatedCalls.ts"
import { operations } from "../support/operations.ts"
import { seed } from "../support/random.ts"

/** Calls for each operation. Set `FLOW_GENERATED_CALLS` to make more. */
const count = Number(process.env["FLOW_GENERATED_CALLS"] ?? 6)

/** The problems that have status 500 by contract. */
const contracted = ["/problems/invalid-operator", "/problems/resource-not-created"]

// Executions and jobs that the calls start are to wait, not to run.
const settings = { runs: { all: 1, each: 1 }, jobs: { all: 1, each: 1 } }

layer(gateway(settings), { excludeTestServices: true })("calls made from the description", (it) => {
  it.effect("find no answer that is not declared, no error of the server, and no wrong value that is taken", () =>
    Effect.gen(function* () {
      const faults: Array<string> = []
      const calls = operations.flatMap((operation) => callsOf(operation, count, seed))
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

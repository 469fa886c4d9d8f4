import { describe, expect, it, layer } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { leastConnections, sharedConnections } from "../../src/layers/engine/Connections.ts"
import { TenantId } from "../../src/services/shared/Tenant.ts"
import { ended, flowlineForm, gateway, TestGateway } from "../support/gateway.ts"
import { until } from "../support/process.ts"

const flowlineOf = (...types: ReadonlyArray<string>) => ({ dag: types.map((type) => ({ type })) })

describe("the connections of runs", () => {
  it("are one for each input and one for all outputs", () => {
    expect(leastConnections(flowlineOf("generator_input", "show"))).toBe(0)
    expect(leastConnections(flowlineOf("generator_input", "search_output", "search_output"))).toBe(1)
    expect(leastConnections(flowlineOf("search_input", "search_input", "search_output"))).toBe(3)
  })

  it.effect("are shared: a run gets more than it needs while many are free, and waits when too few are", () =>
    Effect.gen(function* () {
      const connectionsFor = yield* sharedConnections(6)
      const given: Array<number> = []
      const gate = yield* Deferred.make<void>()
      const run = (tenant: string, ...types: ReadonlyArray<string>) =>
        Effect.forkChild(
          Effect.gen(function* () {
            given.push(yield* connectionsFor(TenantId(tenant), flowlineOf(...types)))
            yield* Deferred.await(gate)
          }).pipe(Effect.scoped),
          { startImmediately: true }
        )
      const first = yield* run("a", "search_output")
      expect(given).toEqual([3])
      yield* run("a", "show")
      expect(given).toEqual([3, 0])
      yield* run("a", "search_output")
      yield* run("a", "search_output")
      expect(given).toEqual([3, 0, 1, 1])
      // One is left, which is kept for others.
      yield* run("a", "search_output")
      const reader = yield* run("b", "search_input", "search_output")
      expect(given).toEqual([3, 0, 1, 1])
      yield* Fiber.interrupt(first)
      expect(given).toEqual([3, 0, 1, 1, 1, 2])
      yield* Deferred.succeed(gate, undefined)
      yield* Fiber.join(reader)
    })
  )
})

const endless = (index: string) =>
  flowlineForm(
    JSON.stringify({
      runtime: "stream",
      dag: [
        { type: "generator_input", settings: { messages: ["a"], rate: 10 }, publish: [{ stream: "s" }] },
        {
          type: "search_output",
          settings: { index },
          subscribe: [{ component: "generator_input", stream: "s" }]
        }
      ]
    }),
    "f.json"
  )

const reader = flowlineForm(
  JSON.stringify({
    runtime: "stream",
    dag: [
      { type: "search_input", settings: { index: "mytenant-x", count: true }, publish: [{ stream: "s" }] },
      { type: "show", settings: { limit: 1 }, subscribe: [{ component: "search_input", stream: "s" }] }
    ]
  }),
  "f.json"
)

layer(gateway({ runConnections: 6 }), { excludeTestServices: true })("runs that search", (it) => {
  it.effect("wait for connections to the database", () =>
    Effect.gen(function* () {
      const { client } = yield* TestGateway
      const start = Effect.fnUntraced(function* (tenant: string, payload: FormData) {
        const { id } = yield* client.flowlines.executeOnce({ params: { tenant }, payload })
        return { tenant, flowlineId: id.slice(0, id.lastIndexOf("-")), executionId: id }
      })
      type Started = Effect.Success<ReturnType<typeof start>>
      const become = (params: Started, wanted: string) =>
        until(client.executions.detail({ params }), ({ state }) => state === wanted)
      const through = Effect.fnUntraced(function* (tenant: string, payload: FormData) {
        const { flowlineId, executionId } = yield* start(tenant, payload)
        return (yield* ended(tenant, flowlineId, executionId)).state
      })
      const first = yield* start("mytenant", endless("mytenant-x"))
      yield* become(first, "RUNNING")
      // It has three, so that others have one: which is enough to read and count, as soon as the index is there.
      yield* until(through("mytenant", reader), (state) => state === "SUCCEEDED")
      const more = yield* Effect.forEach(Array(2), () => start("othertenant", endless("othertenant-x")))
      for (const params of more) yield* become(params, "RUNNING")
      const third = yield* start("othertenant", endless("othertenant-x"))
      // A run without search is through, while the one before it is waiting.
      const other = flowlineForm(
        "runtime: stream\ndag: [ { type: generator_input, settings: { messages: [a], count: 1 }, publish: [ { stream: s } ] }, { type: show, subscribe: [ { component: generator_input, stream: s } ] } ]"
      )
      expect(yield* through("othertenant", other)).toBe("SUCCEEDED")
      expect((yield* client.executions.detail({ params: third })).state).toBe("PENDING")
      yield* client.executions.cancel({ params: first })
      yield* become(third, "RUNNING")
      for (const params of [...more, third]) {
        yield* client.executions.cancel({ params })
        yield* become(params, "CANCELLED")
      }
    })
  )
})

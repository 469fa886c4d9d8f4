import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { ended, flowlineForm, gateway, TestGateway } from "../support/gateway.ts"
import { until } from "../support/process.ts"

const endless = (count: number | undefined) =>
  JSON.stringify({
    runtime: "stream",
    dag: [
      {
        type: "generator_input",
        settings: { messages: ["a"], rate: 10, ...(count === undefined ? {} : { count }) },
        publish: [{ stream: "s" }]
      },
      { type: "show", subscribe: [{ component: "generator_input", stream: "s" }] }
    ]
  })

const start = (tenant: string, count?: number) =>
  Effect.flatMap(TestGateway, ({ client }) =>
    Effect.map(
      client.flowlines.executeOnce({ params: { tenant }, payload: flowlineForm(endless(count), "f.json") }),
      ({ id }) => ({ tenant, flowlineId: id.slice(0, id.lastIndexOf("-")), executionId: id })
    )
  )

layer(gateway({ runs: { all: 2, each: 1 } }), { excludeTestServices: true })("a tenant with many runs", (it) => {
  it.effect("holds up no other tenant, and has as many runs at once as it may", () =>
    Effect.gen(function* () {
      const { client } = yield* TestGateway
      const mine = [yield* start("mytenant"), yield* start("mytenant"), yield* start("mytenant")]
      const stateOf = (params: (typeof mine)[number]) =>
        Effect.map(client.executions.detail({ params }), ({ state }) => state)
      const states = Effect.forEach(mine, stateOf)
      // The other tenant's run comes last, and is through while two of the first are still waiting.
      const theirs = yield* start("othertenant", 2)
      expect(yield* ended("othertenant", theirs.flowlineId, theirs.executionId)).toMatchObject({ state: "SUCCEEDED" })
      const become = (wanted: string) => until(states, (now) => now.join() === wanted)
      yield* become("RUNNING,PENDING,PENDING")
      // A waiting run is cancelled at once, a running one makes room for the next.
      yield* client.executions.cancel({ params: mine[1]! })
      yield* client.executions.cancel({ params: mine[0]! })
      yield* become("CANCELLED,CANCELLED,RUNNING")
      yield* client.executions.cancel({ params: mine[2]! })
      yield* ended("mytenant", mine[2]!.flowlineId, mine[2]!.executionId)
    })
  )
})

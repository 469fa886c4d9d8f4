import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { ended, flowlineForm, gateway, raw, TestGateway } from "../support/gateway.ts"
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
      // The other tenant's run comes last, and ends while two of the first are still waiting.
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

const full = { runs: { all: 1, each: 1 }, tenantQueue: 2, ceilings: { memoryMib: 1024, seconds: 3600 } }

layer(gateway(full), { excludeTestServices: true })("a tenant's queue", (it) => {
  it.effect("has an end, which is told, and has room again when one of it ends", () =>
    Effect.gen(function* () {
      const { client } = yield* TestGateway
      const stateOf = (params: (typeof waiting)[number]) =>
        Effect.map(client.executions.detail({ params }), ({ state }) => state)
      const first = yield* start("mytenant")
      yield* until(stateOf(first), (state) => state === "RUNNING")
      const waiting = [yield* start("mytenant"), yield* start("mytenant")]
      const body = flowlineForm(endless(1), "f.json")
      const refused = yield* raw("/v1/mytenant/flowline", { method: "POST", body })
      expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "5"])
      expect(yield* Effect.promise(() => refused.json())).toMatchObject({
        type: "/problems/queue-full",
        detail: '2 executions of the tenant "mytenant" are already waiting, which is the limit waitingExecutions',
        limit: "waitingExecutions",
        value: 2,
        used: 3,
        key: "tenant:mytenant",
        tenant: "mytenant"
      })
      const saved = yield* client.flowlines.save({ params: { tenant: "mytenant" }, query: {}, payload: body })
      const execute = client.flowlines.execute({ params: { tenant: "mytenant", id: saved.id }, query: {} })
      expect(yield* Effect.flip(execute)).toMatchObject({ _tag: "QueueFull", limit: "waitingExecutions" })
      const theirs = yield* start("othertenant")
      yield* client.executions.cancel({ params: waiting[0]! })
      yield* until(stateOf(waiting[0]!), (state) => state === "CANCELLED")
      const last = { ...first, executionId: (yield* execute).id, flowlineId: saved.id }
      for (const params of [last, theirs, waiting[1]!, first]) yield* client.executions.cancel({ params })
      yield* ended("mytenant", first.flowlineId, first.executionId)
    })
  )

  it.effect("is not reached by a flowline that asks for more than the operator allows", () =>
    Effect.gen(function* () {
      const greedy = (settings: string) => flowlineForm(`runtime: stream\nsettings: ${settings}\ndag: []\n`)
      const send = Effect.fnUntraced(function* (settings: string) {
        const response = yield* raw("/v1/mytenant/flowline/save", { method: "POST", body: greedy(settings) })
        return { status: response.status, problem: yield* Effect.promise(() => response.json()) }
      })
      expect(yield* send("{ memory_mib: 65536, timeout_seconds: 31536000 }")).toMatchObject({
        status: 400,
        problem: {
          issues: [
            {
              pointer: "/settings/memory_mib",
              line: 2,
              column: 25,
              detail: "This gateway allows a run at most 1024 (FLOW_RUN_MEMORY), found 65536"
            },
            {
              pointer: "/settings/timeout_seconds",
              line: 2,
              column: 49,
              detail: "This gateway allows a run at most 3600 (FLOW_RUN_SECONDS), found 31536000"
            },
            { pointer: "/dag/0" }
          ]
        }
      })
    })
  )
})

import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { eventually } from "../support/process.ts"
import { isAlive, residentMib, runnersOf, site } from "../support/process-gateway.ts"
import { generator, tenantOf } from "../support/runs.ts"

/** A stream that runs a program on each record. */
const flowlet = (code: string, settings = "{}") => `
runtime: stream
settings: ${settings}
dag:
  - type: generator_input
    settings: { messages: [one], count: 1 }
    publish: [ { stream: out } ]
  - type: flowlet
    settings: { code: ${JSON.stringify(code)} }
    subscribe: [ { component: generator_input, stream: out } ]
    publish: [ { stream: out } ]
  - type: show
    subscribe: [ { component: flowlet, stream: out } ]
`
const flood = `
runtime: stream
settings: { timeout_seconds: 600 }
dag:
  - type: generator_input
    settings: { messages: [ "${"x".repeat(4000)}" ], rate: 1000000 }
    publish: [ { stream: out } ]
  - type: show
    settings: { limit: 100000 }
    subscribe: [ { component: generator_input, stream: out } ]
`

/** Repeats a request during the work: every request is answered. */
const whileAsking = async (url: string, work: Promise<unknown>): Promise<void> => {
  let over = false
  const ended = work.finally(() => {
    over = true
  })
  while (!over) {
    for (const path of ["/v1/platform/tenant", "/v1/mytenant/flowline/executions", "/health/ready"]) {
      const response = await fetch(url + path)
      expect([path, response.status]).toEqual([path, 200])
      await response.arrayBuffer()
    }
    await new Promise((done) => setTimeout(done, 200))
  }
  await ended
}

describe("runs", () => {
  it.live("that loop, eat memory, flood or take too long hold up nobody, and end with the reason", () =>
    Effect.gen(function* () {
      const here = yield* site({ variables: { FLOW_OUTPUT_LINES: "50000", FLOW_RUNS: "6", FLOW_TENANT_RUNS: "5" } })
      yield* Effect.promise(async () => {
        const gateway = await here.start()
        const tenant = tenantOf(gateway.url)
        const before = residentMib(gateway.pid)
        const looping = await tenant.run(
          generator(undefined, 1_000_000).replace("dag:", "settings: { timeout_seconds: 1 }\ndag:")
        )
        const endless = await tenant.run(flowlet("while (true) {}", "{ timeout_seconds: 20 }"))
        const greedy = await tenant.run(
          flowlet("const all = []; while (true) all.push(new Array(100000).fill(all.length))")
        )
        const flooding = await tenant.run(flood)
        const cancelled = await tenant.run(generator(undefined, 50))
        await tenant.running(cancelled)
        const all = async () => {
          expect((await tenant.cancel(cancelled)).status).toBe(202)
          expect(await tenant.ended(looping)).toMatchObject({
            state: "FAILED",
            error: expect.stringMatching(/time limit/)
          })
          expect((await tenant.ended(endless)).state).toMatch(/SUCCEEDED|FAILED/)
          expect((await tenant.ended(greedy)).state).toMatch(/SUCCEEDED|FAILED/)
          expect((await tenant.ended(cancelled)).state).toBe("CANCELLED")
          await tenant.running(flooding)
          const output = `${gateway.url}/v1/mytenant/flowline/executions/${flooding}/output?from=1000000`
          const isCut = async () => (await (await fetch(output)).text()).includes('"truncated":true')
          await eventually("the output is cut off", isCut)
          expect((await tenant.cancel(flooding)).status).toBe(202)
          expect((await tenant.ended(flooding)).state).toBe("CANCELLED")
        }
        await whileAsking(gateway.url, all())
        expect(residentMib(gateway.pid)).toBeLessThan(before + 180)
        await eventually("only a waiting child is left", () => runnersOf(gateway.pid).length <= 1)
        for (const [name, id] of Object.entries({ looping, greedy, endless, flooding, cancelled })) {
          const detail = await tenant.detail(id)
          expect(isAlive(Number(detail.jobId?.split(":").at(-1)))).toBe(false)
          // On a machine with too much to do, a time limit can be over before the run began.
          const started = detail.events.some(({ event }) => event === "stream.application.start")
          expect([name, detail.events.length], JSON.stringify(detail)).toEqual([name, started ? 2 : 1])
        }

        // More than may run at once: all succeed, each with its own id, events and output.
        const { id: flowline } = await tenant.save(generator(3, 1000))
        const ids = await Promise.all(Array.from({ length: 9 }, () => tenant.execute(flowline)))
        expect(new Set(ids).size).toBe(9)
        await whileAsking(gateway.url, Promise.all(ids.map((id) => tenant.ended(id))))
        for (const id of ids) {
          const { state, error, events } = await tenant.detail(id)
          expect([id, state, error, events.length]).toEqual([id, "SUCCEEDED", null, 2])
          const { lines } = await tenant.get<{ lines: ReadonlyArray<object> }>(`flowline/executions/${id}/output`)
          expect(lines).toHaveLength(3)
        }
      })
    })
  )
})

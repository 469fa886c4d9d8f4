import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { pauseAfter } from "../../src/services/executions/Supervisor.ts"
import { ended, flowlineForm, gateway, TestGateway, temporaryFolder } from "../support/gateway.ts"
import { until } from "../support/process.ts"

const tenant = "mytenant"

const flowline = (retry: object, runtime = "analytics") =>
  JSON.stringify({
    runtime,
    settings: { retry },
    dag: [
      { type: "file_input", settings: { path: "in/late.csv" }, publish: [{ stream: "rows" }] },
      { type: "show", subscribe: [{ component: "file_input", stream: "rows" }] }
    ]
  })

const run = (text: string) =>
  Effect.flatMap(TestGateway, ({ client }) =>
    Effect.map(
      client.flowlines.executeOnce({ params: { tenant }, payload: flowlineForm(text, "f.json") }),
      ({ id }) => ({
        id,
        flowlineId: id.slice(0, id.lastIndexOf("-"))
      })
    )
  )

const printed = (id: string) =>
  Effect.flatMap(TestGateway, ({ client }) =>
    Effect.map(client.executions.output({ params: { tenant, id }, query: {} }), ({ lines }) =>
      lines.map(({ text }) => text)
    )
  )

/** Waits until so many failed attempts are reported. */
const failures = (id: string, count: number) =>
  until(printed(id), (lines) => lines.filter((line) => line.startsWith("attempt ")).length >= count)

const withFiles = Layer.unwrap(
  Effect.map(temporaryFolder, (conf) => {
    mkdirSync(join(conf, "tenants", tenant, "in"), { recursive: true })
    return gateway({ conf })
  })
).pipe(Layer.orDie)

layer(withFiles, { excludeTestServices: true })("a batch that failed", (it) => {
  it.effect("is run again until its attempts are over, with one start and one end", () =>
    Effect.gen(function* () {
      const { id, flowlineId } = yield* run(flowline({ attempts: 3, initial: "10ms" }))
      const detail = yield* ended(tenant, flowlineId, id)
      expect(detail).toMatchObject({ state: "FAILED", error: expect.stringContaining("late.csv") })
      expect(detail.events.map(({ event }) => event)).toEqual([
        "analytics.application.failed",
        "analytics.application.start"
      ])
      expect(yield* printed(id)).toEqual([
        expect.stringMatching(/^attempt 1 failed, the next one begins in 10 ms: .*late\.csv/),
        expect.stringMatching(/^attempt 2 failed, the next one begins in 20 ms: .*late\.csv/)
      ])
    })
  )

  it.effect("is cancelled in the pause", () =>
    Effect.gen(function* () {
      const { client } = yield* TestGateway
      const { id, flowlineId } = yield* run(flowline({ attempts: 2, initial: "10m", max: "10m" }))
      yield* failures(id, 1)
      yield* client.executions.cancel({ params: { tenant, flowlineId, executionId: id } })
      expect(yield* ended(tenant, flowlineId, id)).toMatchObject({ state: "CANCELLED" })
    })
  )

  it.effect("succeeds when what it needs has come, and is not run again then", () =>
    Effect.gen(function* () {
      const { settings } = yield* TestGateway
      const { id, flowlineId } = yield* run(flowline({ attempts: 10, initial: "100ms", max: "200ms" }))
      yield* failures(id, 1)
      writeFileSync(join(settings.conf, "tenants", tenant, "in/late.csv"), "a\n1\n")
      const detail = yield* ended(tenant, flowlineId, id)
      expect(detail).toMatchObject({ state: "SUCCEEDED", error: null })
      expect(detail.events.map(({ event }) => event)).toEqual([
        "analytics.application.end",
        "analytics.application.start"
      ])
    })
  )

  it.effect("is a batch: a stream is refused, and so are odd pauses", () =>
    Effect.gen(function* () {
      const stream = yield* Effect.flip(run(flowline({ attempts: 2 }, "stream")))
      expect(stream).toMatchObject({ _tag: "BadRequest", issues: [{ pointer: "/settings/retry" }] })
      const odd = yield* Effect.flip(run(flowline({ attempts: 11, initial: "soon" })))
      expect("issues" in odd ? odd.issues?.map(({ pointer }) => pointer) : []).toEqual([
        "/settings/retry/attempts",
        "/settings/retry/initial"
      ])
    })
  )

  it.effect("waits twice as long each time, up to the limit", () =>
    Effect.sync(() => {
      const settings = { retry: { attempts: 6, initial: "1s", max: "5s" } }
      expect([1, 2, 3, 4, 5, 6].map((attempt) => pauseAfter(settings, attempt))).toEqual([
        1000,
        2000,
        4000,
        5000,
        5000,
        undefined
      ])
      expect(pauseAfter({}, 1)).toBeUndefined()
    })
  )
})

import { expect, it, layer } from "@effect/vitest"
import { ConfigProvider, Effect } from "effect"
import { availableMemory, usualWork } from "../../src/drivers/UsualWork.ts"
import { settings } from "../../src/layers/EnvironmentSettings.ts"
import { memoryGateway, raw } from "../support/gateway.ts"

const mebibyte = 1024 * 1024

const read = (variables: Readonly<Record<string, string>>) =>
  Effect.map(
    Effect.provideService(settings, ConfigProvider.ConfigProvider, ConfigProvider.fromEnvRecord(variables)),
    ({ runs, jobs, requestMemory }) => ({ runs, jobs, requestMemory })
  )

it("a machine with little memory runs less at once", () => {
  const workOf = (memory: number) => {
    const { runs, jobs, requestBytes, bufferBytes } = usualWork(memory * mebibyte)
    return [runs, jobs, requestBytes / mebibyte, bufferBytes / mebibyte]
  }
  expect([256, 384, 512, 1024, 2048, 32768].map(workOf)).toEqual([
    [1, 2, 64, 16],
    [1, 2, 96, 24],
    [2, 4, 128, 32],
    [10, 20, 256, 64],
    [16, 32, 512, 128],
    [16, 32, 512, 128]
  ])
  expect(availableMemory()).toBeGreaterThan(0)
})

it("and its helpers take less", () => {
  const helpersOf = (memory: number) => {
    const usual = usualWork(memory * mebibyte)
    const { testFormBytes, testBytes, validationBytes, sqlCheckBytes, sqlChecks, validations } = usual
    const bytes = [testFormBytes, testBytes, validationBytes, sqlCheckBytes]
    return [...bytes.map((one) => one / mebibyte), validations, sqlChecks]
  }
  expect([256, 512, 1024, 2048, 32768].map(helpersOf)).toEqual([
    [96, 64, 128, 256, 1, 1],
    [96, 64, 128, 256, 1, 1],
    [128, 128, 256, 256, 2, 2],
    [256, 256, 512, 512, 4, 3],
    [256, 256, 512, 512, 4, 3]
  ])
})

it.effect("settings take precedence, and a tenant has half of what is not set for tenants", () =>
  Effect.gen(function* () {
    const { runs, jobs, requestMemory } = yield* read({})
    expect(runs.each).toBe(Math.ceil(runs.all / 2))
    expect(jobs.each).toBe(Math.ceil(jobs.all / 2))
    expect(requestMemory.each).toBe(requestMemory.all / 2)
    expect(yield* read({ FLOW_RUNS: "4", FLOW_JOBS: "5", FLOW_REQUEST_BYTES: "1001" })).toEqual({
      runs: { all: 4, each: 2 },
      jobs: { all: 5, each: 3 },
      requestMemory: { all: 1001, each: 501 }
    })
    const each = { FLOW_TENANT_RUNS: "1", FLOW_TENANT_JOBS: "2", FLOW_TENANT_REQUEST_BYTES: "3" }
    expect(yield* read({ FLOW_RUNS: "4", FLOW_JOBS: "5", FLOW_REQUEST_BYTES: "6", ...each })).toEqual({
      runs: { all: 4, each: 1 },
      jobs: { all: 5, each: 2 },
      requestMemory: { all: 6, each: 3 }
    })
  })
)

layer(memoryGateway({ runs: { all: 3, each: 2 } }), { excludeTestServices: true })("where few runs may run", (it) => {
  it.effect("there are fewer tries at once", () =>
    Effect.gen(function* () {
      const metrics = yield* Effect.flatMap(raw("/metrics"), (answer) => Effect.promise(() => answer.text()))
      expect(/^flow_queue_places\{queue="tries"\} (\d+)$/m.exec(metrics)?.[1]).toBe("2")
    })
  )
})

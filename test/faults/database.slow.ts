import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { eventually } from "../support/process.ts"
import { postgresOf, type Running, signal, site } from "../support/process-gateway.ts"
import { formOf, generator, tenantOf } from "../support/runs.ts"

const answered = async (name: string, call: Promise<Response>) => {
  const began = performance.now()
  const response = await call
  const body: Record<string, unknown> = JSON.parse(await response.text())
  return { name, status: response.status, body, millis: performance.now() - began }
}

const readiness = async (url: string) => {
  const response = await fetch(`${url}/health/ready`)
  return { ...JSON.parse(await response.text()), status: response.status }
}

const isReady = (url: string) => readiness(url).then(({ status }) => status === 200)

const frozen = async (data: string, work: () => Promise<void>) => {
  const pids = postgresOf(data)
  expect(pids.length).toBeGreaterThan(3)
  signal(pids, "SIGSTOP")
  try {
    await work()
  } finally {
    signal(pids, "SIGCONT")
  }
}

/** Every endpoint that needs PostgreSQL, by its purpose. */
const calls = (
  url: string,
  flowline: string,
  execution: string
): ReadonlyArray<readonly [string, string, RequestInit?]> => {
  const base = `${url}/v1/mytenant`
  const post = (body?: FormData, headers?: Record<string, string>) => ({
    method: "POST",
    ...(body === undefined ? {} : { body }),
    ...(headers === undefined ? {} : { headers })
  })
  return [
    ["list flowlines", `${base}/flowline`],
    ["a page of flowlines", `${base}/flowline?limit=1`],
    ["read a flowline", `${base}/flowline/${flowline}`],
    ["list executions", `${base}/flowline/executions`],
    ["list a flowline's", `${base}/flowline/executions/${flowline}`],
    ["events", `${base}/flowline/executions/${execution}/events`],
    ["output", `${base}/flowline/executions/${execution}/output`],
    ["follow", `${base}/flowline/executions/${execution}/output`, { headers: { accept: "text/event-stream" } }],
    ["detail", `${base}/flowline/${flowline}/executions/${execution}`],
    ["list archives", `${base}/archives`],
    ["read an archive", `${base}/archives/${execution}`],
    ["delete an archive", `${base}/archives/${execution}`, { method: "DELETE" }],
    ["save", `${base}/flowline/save`, post(formOf(generator(1, 10)))],
    ["save with a key", `${base}/flowline/save`, post(formOf(generator(1, 10)), { "idempotency-key": "frozen" })],
    ["execute", `${base}/flowline/${flowline}`, post()],
    ["execute once", `${base}/flowline`, post(formOf(generator(1, 10)))],
    ["cancel", `${base}/flowline/${flowline}/executions/${execution}`, { method: "DELETE" }],
    ["delete", `${base}/flowline/${flowline}`, { method: "DELETE" }]
  ]
}

const prepared = async (gateway: Running) => {
  const tenant = tenantOf(gateway.url)
  const { id: flowline } = await tenant.save(generator(2, 1000))
  const execution = await tenant.execute(flowline)
  expect(await tenant.ended(execution)).toMatchObject({ state: "SUCCEEDED" })
  return { tenant, flowline, execution }
}

describe("PostgreSQL", () => {
  it.live(
    "that is frozen: every call is a 504, and all is well after it; that is killed: runs end as if nothing was",
    () =>
      Effect.gen(function* () {
        const here = yield* site({ embedded: true })
        yield* Effect.promise(async () => {
          const gateway = await here.start()
          const { tenant, flowline, execution } = await prepared(gateway)
          await frozen(here.data, async () => {
            // A frozen database must not block endpoints that do not use it.
            const answers = Promise.all(
              calls(gateway.url, flowline, execution).map(([name, url, init]) => answered(name, fetch(url, init)))
            )
            expect((await fetch(`${gateway.url}/v1/mytenant/conf`)).status).toBe(200)
            expect((await fetch(`${gateway.url}/v1/platform/properties`)).status).toBe(200)
            expect((await fetch(`${gateway.url}/health/live`)).status).toBe(200)
            expect(await readiness(gateway.url)).toMatchObject({
              ...{ status: 503, type: "/problems/not-ready", instance: "/health/ready" },
              detail: expect.stringContaining("metadata"),
              dependencies: { metadata: "down", data: "up", configuration: "up", connections: "up" }
            })
            for (const { name, status, body, millis } of await answers) {
              expect([name, status, body["storage"]]).toEqual([name, 504, "metadata"])
              expect(body["type"]).toBe("/problems/storage-unreachable")
              // Five seconds, and the delay of a busy machine.
              expect(millis, name).toBeLessThan(30_000)
            }
          })
          await eventually("the gateway is ready again", () => isReady(gateway.url))
          expect((await tenant.detail(execution)).state).toBe("SUCCEEDED")
          expect(await tenant.ended(await tenant.run(generator(2, 1000)))).toMatchObject({ state: "SUCCEEDED" })
          // What was answered 504 may have happened, but nothing may be left half-done.
          for (const { id } of await tenant.executions()) {
            expect((await tenant.ended(id)).events).toHaveLength(2)
          }

          const { id: long } = await tenant.save(generator(60, 40))
          const runs = await Promise.all(Array.from({ length: 2 }, () => tenant.execute(long)))
          await Promise.all(runs.map((id) => tenant.running(id)))
          signal(postgresOf(here.data), "SIGKILL")
          await eventually("the gateway is ready again", () => isReady(gateway.url))
          for (const id of runs) {
            const detail = await tenant.ended(id)
            expect(detail).toMatchObject({ state: "SUCCEEDED", error: null })
            expect(detail.events.map(({ event }) => event)).toEqual([
              "stream.application.end",
              "stream.application.start"
            ])
            const output = await tenant.get<{ lines: ReadonlyArray<{ seq: number; text: string }> }>(
              `flowline/executions/${id}/output`
            )
            expect(output.lines.map(({ seq }) => seq)).toEqual(Array.from({ length: 60 }, (_, index) => index + 1))
          }
          expect(gateway.stdout().split("\n")).toHaveLength(2)
        })
      })
  )
})

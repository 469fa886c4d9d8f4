import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { eventually } from "../support/process.ts"
import { runnersOf } from "../support/process-gateway.ts"
import { generator, tenantOf } from "../support/runs.ts"
import { act, channelOf, members, pidOf, until } from "./members.ts"

describe("gateways with one role each", () => {
  it.live("serve and run, for one another", () =>
    Effect.gen(function* () {
      const { addChannel, start } = yield* members
      addChannel("main", { a: generator(undefined, 5) })
      yield* Effect.promise(async () => {
        const [api, runner] = await Promise.all([start({ FLOW_ROLE: "api" }), start({ FLOW_ROLE: "runner" })])
        const tenant = tenantOf(api.url)
        const quick = await tenant.run(generator(3, 100))
        expect(await tenant.ended(quick)).toMatchObject({ state: "SUCCEEDED" })
        const endless = await tenant.run(generator(undefined, 10))
        const { jobId } = await tenant.running(endless)
        expect(runnersOf(runner.pid)).toContain(pidOf(jobId ?? null))
        expect((await tenant.cancel(endless)).status).toBe(202)
        expect(await tenant.ended(endless)).toMatchObject({ state: "CANCELLED" })
        expect(await act(api.url, "main", "start")).toBe(201)
        expect((await until(api.url, "main", "ACTIVE")).jobs[0]).toMatchObject({
          node: expect.stringMatching(`:${runner.pid}$`)
        })
        expect(await act(api.url, "main", "stop")).toBe(204)
        await until(api.url, "main", "STOPPED")
        expect((await fetch(`${runner.url}/health/ready`)).status).toBe(200)
        expect((await fetch(`${runner.url}/v1/mytenant/channels`)).status).toBe(404)
      })
    })
  )
})

describe("gateways that do not listen for one another", () => {
  it.live("find what is to be done in the database", () =>
    Effect.gen(function* () {
      const { addChannel, start } = yield* members
      addChannel("main", { a: generator(undefined, 5) })
      yield* Effect.promise(async () => {
        const silent = { FLOW_CLUSTER: "" }
        const [first, second] = await Promise.all([start(silent), start(silent)])
        expect(await act(first.url, "main", "start")).toBe(201)
        await until(second.url, "main", "ACTIVE")
        expect(await act(second.url, "main", "stop")).toBe(204)
        await until(first.url, "main", "STOPPED")
        const ids = await Promise.all(Array.from({ length: 2 }, () => tenantOf(second.url).run(generator(2, 100))))
        for (const id of ids) expect(await tenantOf(first.url).ended(id)).toMatchObject({ state: "SUCCEEDED" })
        expect(await act(first.url, "main", "start")).toBe(201)
        const { jobs } = await until(second.url, "main", "ACTIVE")
        const [victim, other] = pidOf(jobs[0]!.node) === first.pid ? [first, second] : [second, first]
        await victim.kill("SIGKILL")
        await eventually("the other one has the job", async () =>
          (await channelOf(other.url, "main")).jobs.every(
            ({ node, status }) => pidOf(node) === other.pid && status === "ACTIVE"
          )
        )
      })
    })
  )
})

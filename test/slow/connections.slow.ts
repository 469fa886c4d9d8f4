import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { database } from "../cluster/database.ts"
import { act, channelOf, members, ticking, until } from "../cluster/members.ts"
import { receiver } from "../cluster/receiver.ts"
import { eventually } from "../support/process.ts"
import { runnersOf } from "../support/process-gateway.ts"
import { type Detail, generator, tenantOf } from "../support/runs.ts"

const names = ({ events }: Detail) => events.map(({ event }) => event.replace("stream.application.", ""))

describe("an outage of the database of a cluster", () => {
  it.live("ends no run: what runs say is written afterwards, once, and nobody takes anything over", () =>
    Effect.gen(function* () {
      const { addChannel, start } = yield* members
      const { url: ticks, records } = yield* receiver
      const { url, frozen, cut, shared } = yield* database
      addChannel("ticks", { one: ticking(`${ticks}one`), two: ticking(`${ticks}two`) })
      yield* Effect.promise(async () => {
        const gateways = await Promise.all([start({ FLOW_DATABASE_URL: url }), start({ FLOW_DATABASE_URL: url })])
        await shared(2)
        const tenant = tenantOf(gateways[0].url)
        expect(await act(gateways[0].url, "ticks", "start")).toBe(201)
        const jobs = (await until(gateways[1].url, "ticks", "ACTIVE")).jobs.map(({ name, jobId }) => ({ name, jobId }))
        const { id: flowline } = await tenant.save(generator(600, 20))
        const ids = await Promise.all(Array.from({ length: 4 }, () => tenant.execute(flowline)))
        const before = await Promise.all(ids.map((id) => tenant.running(id)))
        const processes = () => gateways.flatMap(({ pid }) => runnersOf(pid))
        const runs = [...before, ...jobs].map(({ jobId }) => Number(jobId?.split(":").at(-1)))
        const areThere = () => runs.filter((pid) => !processes().includes(pid))

        const isReady = async () => (await fetch(`${gateways[0].url}/health/ready`)).status === 200
        for (let round = 0; round < 2; round++) {
          await cut()
          await eventually("the gateway is ready again", isReady)
        }
        expect(areThere()).toEqual([])
        // Longer than a gateway may be silent.
        await frozen(() => new Promise((done) => setTimeout(done, 9000)))
        await eventually("the gateway is ready again", isReady)
        for (const [index, id] of ids.entries()) {
          const detail = await tenant.ended(id)
          expect([detail.state, detail.error, names(detail), detail.jobId]).toEqual([
            "SUCCEEDED",
            null,
            ["end", "start"],
            before[index]!.jobId
          ])
          const output = await tenant.get<{ lines: ReadonlyArray<{ seq: number }> }>(`flowline/executions/${id}/output`)
          expect(output.lines.map(({ seq }) => seq)).toEqual(Array.from({ length: 600 }, (_, line) => line + 1))
        }
        const seen = records.length
        await eventually("the jobs go on", () => records.length > seen + 20)
        const after = await channelOf(gateways[1].url, "ticks")
        expect(after.jobs.map(({ name, jobId, restarts }) => ({ name, jobId, restarts }))).toEqual(
          jobs.map((job) => ({ ...job, restarts: 0 }))
        )
      })
    })
  )
})

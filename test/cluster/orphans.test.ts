import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { eventually } from "../support/process.ts"
import { isAlive } from "../support/process-gateway.ts"
import { tenantOf } from "../support/runs.ts"
import { act, channelOf, members, pidOf, ticking, until } from "./members.ts"
import { overlaps, receiver } from "./receiver.ts"

describe("a run that outlives its killed gateway for a moment", () => {
  it.live(
    "is waited for before its job is taken over",
    () =>
      Effect.gen(function* () {
        const { addChannel, start } = yield* members
        const { url, records } = yield* receiver
        addChannel("ticks", { a: ticking(`${url}a`) })
        yield* Effect.promise(async () => {
          const gateways = [await start(), await start()]
          expect(await act(gateways[0]!.url, "ticks", "start")).toBe(201)
          const { jobs } = await until(gateways[0]!.url, "ticks", "ACTIVE")
          await eventually("records come", () => records.length > 0)
          const [{ node, jobId } = { node: null, jobId: null }] = jobs
          const victim = gateways.find(({ pid }) => pid === pidOf(node))!
          const other = gateways.find(({ pid }) => pid !== pidOf(node))!
          const run = pidOf(jobId)
          // Stopped, it does not notice that its gateway is gone.
          process.kill(run, "SIGSTOP")
          await victim.kill("SIGKILL")
          let isOver = false
          const waiting = (async () => {
            for (; !isOver; await new Promise((done) => setTimeout(done, 50))) {
              const [job] = (await channelOf(other.url, "ticks")).jobs
              if (job?.jobId !== null && job?.jobId !== jobId) expect(isAlive(run)).toBe(false)
            }
          })()
          await new Promise((done) => setTimeout(done, 3000))
          expect((await channelOf(other.url, "ticks")).jobs[0]?.node).toBe(node)
          process.kill(run, "SIGCONT")
          const seen = records.length
          await until(other.url, "ticks", "ACTIVE")
          await eventually("the job goes on", () => records.length > seen + 10)
          isOver = true
          await waiting
          expect(overlaps(records)).toEqual([])
          expect((await tenantOf(other.url).get<{ status: string }>("channels/ticks")).status).toBe("ACTIVE")
        })
      }),
    60_000
  )
})

import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { eventually } from "../support/process.ts"
import type { Running } from "../support/process-gateway.ts"
import { type Detail, generator, tenantOf } from "../support/runs.ts"
import { act, isThere, members, ticking, until } from "./members.ts"
import { overlaps, receiver } from "./receiver.ts"

const pause = (millis: number) => new Promise((done) => setTimeout(done, millis))
const names = ({ events }: Detail) => events.map(({ event }) => event.replace("stream.application.", ""))

describe("gateways that are killed, stopped, frozen and started again", () => {
  it.live(
    "lose nothing: every execution ends once, every job runs once",
    () =>
      Effect.gen(function* () {
        const { addChannel, start } = yield* members
        const { url, records } = yield* receiver
        const jobs = ["a", "b", "c"]
        addChannel("ticks", Object.fromEntries(jobs.map((job) => [job, ticking(url + job)])))
        yield* Effect.promise(async () => {
          const gateways: Array<Running> = await Promise.all([start(), start(), start()])
          expect(await act(gateways[0]!.url, "ticks", "start")).toBe(201)
          await until(gateways[1]!.url, "ticks", "ACTIVE")
          const ids: Array<string> = []
          const frozen = new Set<Running>()
          let over = false
          const someone = () => gateways.filter((gateway) => isThere(gateway) && !frozen.has(gateway))
          // What a gateway has acknowledged counts, whatever happens to that gateway.
          const asking = (async () => {
            for (let turn = 0; !over; turn++) {
              const all = someone()
              const asked = all[turn % all.length]
              const id =
                asked &&
                (await tenantOf(asked.url)
                  .run(generator(20, 40))
                  .catch(() => undefined))
              if (id !== undefined) ids.push(id)
              await pause(200)
            }
          })()
          for (const way of ["SIGKILL", "SIGSTOP", "SIGTERM", "SIGKILL"] as const) {
            await pause(500 + Math.random() * 2000)
            const victim = someone()[Math.floor(Math.random() * someone().length)]!
            if (way === "SIGSTOP") frozen.add(victim)
            victim.process.kill(way)
            if (way === "SIGSTOP") {
              await pause(10_000)
              victim.process.kill("SIGCONT")
              frozen.delete(victim)
            } else {
              await eventually(`the gateway has left after ${way}`, () => !isThere(victim), 30_000)
              gateways.push(await start())
            }
          }
          over = true
          await asking
          const last = someone()[0]!
          const tenant = tenantOf(last.url)
          expect(ids.length).toBeGreaterThan(20)
          for (const id of ids) {
            const detail = await tenant.ended(id, 40_000)
            expect([id, detail.state, detail.error, names(detail)]).toEqual([id, "SUCCEEDED", null, ["end", "start"]])
          }
          const known = (await tenant.executions()).map(({ id }) => id)
          expect(known).toEqual(expect.arrayContaining(ids))
          await until(last.url, "ticks", "ACTIVE")
          const seen = records.length
          await eventually("the jobs go on", () => records.length > seen + 30)
          for (const job of jobs) expect(overlaps(records.filter(({ path }) => path === `/${job}`))).toEqual([])
          const views = await Promise.all(someone().map(({ url }) => tenantOf(url).get("channels")))
          expect(new Set(views.map((view) => JSON.stringify(view))).size).toBe(1)
          expect(await act(last.url, "ticks", "stop")).toBe(204)
          const stopped = records.length
          await pause(1000)
          expect(records.length).toBe(stopped)
        })
      }),
    180_000
  )
})

import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { eventually } from "../support/process.ts"
import type { Running } from "../support/process-gateway.ts"
import { random } from "../support/random.ts"
import { type Detail, generator, tenantOf } from "../support/runs.ts"
import { act, channelOf, isThere, members, pidOf, ticking, until } from "./members.ts"
import { overlaps, receiver } from "./receiver.ts"

const names = ({ events }: Detail) => events.map(({ event }) => event.replace("stream.application.", ""))
const inTurn = Array.from({ length: 40 }, (_, index) => JSON.stringify({ message: ["one", "two", "three"][index % 3] }))

interface Output {
  readonly lines: ReadonlyArray<{ readonly text: string }>
}

describe("gateways on one database that are killed, stopped, frozen and started again", () => {
  it.live("take over from one another: every execution ends once, and no job ever writes from two places", () =>
    Effect.gen(function* () {
      const { addChannel, start } = yield* members
      const { url, records } = yield* receiver
      const { seed, below, shuffled } = random()
      addChannel("ticks", { one: ticking(`${url}one`), two: ticking(`${url}two`) })
      yield* Effect.promise(async () => {
        const gateways: Array<Running> = await Promise.all([start(), start(), start()])
        expect(await act(gateways[0]!.url, "ticks", "start")).toBe(201)
        for (const { url } of gateways) await until(url, "ticks", "ACTIVE")
        // Concurrent starts and stops at all of them: the last request wins.
        const words = Array.from({ length: 4 }, (_, index) => (index % 2 === 0 ? "stop" : "start"))
        await Promise.all(words.map((word, index) => act(gateways[index % 3]!.url, "ticks", word)))
        expect(await act(gateways[1]!.url, "ticks", "start")).toBe(201)
        const ids: Array<string> = []
        for (const way of shuffled(["SIGKILL", "SIGSTOP", "SIGTERM"] as const)) {
          const there = gateways.filter(isThere)
          const { jobs } = await until(there[0]!.url, "ticks", "ACTIVE")
          const victim = there.find(({ pid }) => pid === pidOf(jobs[0]!.node))!
          const watcher = there.find((gateway) => gateway !== victim)!
          // What a gateway has acknowledged counts, whatever happens to that gateway.
          const running = await tenantOf(victim.url).run(generator(inTurn.length, 20))
          ids.push(running)
          await tenantOf(watcher.url).running(running)
          const asked = tenantOf(victim.url)
            .run(generator(3, 20))
            .catch(() => undefined)
          await new Promise((done) => setTimeout(done, below(50)))
          victim.process.kill(way)
          const isTaken = async () => {
            const { jobs } = await channelOf(watcher.url, "ticks")
            return jobs.every(({ status, node }) => status === "ACTIVE" && pidOf(node) !== victim.pid)
          }
          await eventually(`other gateways have the jobs after ${way} (seed ${seed})`, isTaken)
          if (way === "SIGSTOP") victim.process.kill("SIGCONT")
          else {
            await victim.exit
            if (gateways.length === 3) gateways.push(await start())
          }
          const late = await asked
          if (late !== undefined) ids.push(late)
        }
        const last = gateways.find(isThere)!
        const tenant = tenantOf(last.url)
        for (const id of ids) {
          const detail = await tenant.ended(id)
          const ending = [detail.state, detail.error, names(detail)]
          expect(ending, `${id}, seed ${seed}`).toEqual(["SUCCEEDED", null, ["end", "start"]])
        }
        const known = (await tenant.executions()).map(({ id }) => id)
        expect(known).toEqual(expect.arrayContaining(ids))
        // The output of an abandoned run stays; the last one printed everything.
        const { lines } = await tenant.get<Output>(`flowline/executions/${ids[0]}/output`)
        expect(lines.slice(-inTurn.length).map(({ text }) => text)).toEqual(inTurn)
        const { jobs } = await until(last.url, "ticks", "ACTIVE")
        // A takeover is not a failure: on a starved machine a living gateway may be silent for too long.
        for (const { restarts, lastError } of jobs) if (restarts > 0) expect(lastError).toContain("(SIGKILL)")
        const seen = records.length
        await eventually("the jobs go on", () => records.length > seen + 20)
        for (const path of ["/one", "/two"])
          expect(overlaps(records.filter((record) => record.path === path)), `seed ${seed}`).toEqual([])
        const views = () => Promise.all(gateways.filter(isThere).map(({ url }) => tenantOf(url).get("channels")))
        const areSame = async () => new Set((await views()).map((view) => JSON.stringify(view))).size === 1
        await eventually("all gateways say the same", areSame)
        expect(await act(last.url, "ticks", "stop")).toBe(204)
        await until(last.url, "ticks", "STOPPED")
        const stopped = records.length
        await new Promise((done) => setTimeout(done, 500))
        expect(records.length).toBe(stopped)
      })
    })
  )
})

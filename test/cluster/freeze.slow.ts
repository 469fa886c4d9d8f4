import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { eventually } from "../support/process.ts"
import { runnersOf, signal } from "../support/process-gateway.ts"
import { tenantOf } from "../support/runs.ts"
import { members, pidOf } from "./members.ts"

const count = 60
const messages = Array.from({ length: count }, (_, index) => `line ${index}`)

/** Three seconds of lines, which are shown and archived. */
const archiving = `
runtime: stream
dag:
  - type: generator_input
    settings: { messages: ${JSON.stringify(messages)}, count: ${count}, rate: 20 }
    publish: [ { stream: out } ]
  - { type: show, subscribe: [ { component: generator_input, stream: out } ] }
  - { type: archive_output, settings: { entry: lines.txt }, subscribe: [ { component: generator_input, stream: out } ] }
`

interface Output {
  readonly lines: ReadonlyArray<{ readonly seq: number; readonly text: string }>
}

describe("a gateway that is frozen while its executions write archives", () => {
  it.live("adds nothing to them when it wakes: one start, one end, one archive, no line after the end", () =>
    Effect.gen(function* () {
      const { start } = yield* members
      yield* Effect.promise(async () => {
        const gateways = await Promise.all([start(), start()])
        const tenant = tenantOf(gateways[0].url)
        const outputOf = (id: string) => tenant.get<Output>(`flowline/executions/${id}/output`)
        const ids = await Promise.all(Array.from({ length: 4 }, () => tenant.run(archiving)))
        const running = await Promise.all(ids.map((id) => tenant.until(id, ({ state }) => state !== "PENDING")))
        const first = pidOf(running[0]?.jobId ?? null)
        const victim = gateways.find(({ pid }) => runnersOf(pid).includes(first)) ?? gateways[0]
        const watcher = gateways.find((gateway) => gateway !== victim)!
        const watching = tenantOf(watcher.url)
        // Some of its runs are frozen along with it, as all are on a machine that is.
        const runs = runnersOf(victim.pid).filter((_, index) => index % 2 === 0)
        signal([victim.pid, ...runs], "SIGSTOP")
        const taken = await Promise.all(ids.map((id) => watching.until(id, ({ state }) => state !== "PENDING")))
        expect(taken.length).toBe(ids.length)
        await eventually("nothing is left to the frozen one", async () => {
          const all = await Promise.all(ids.map((id) => watching.detail(id)))
          return all.every(({ state, jobId }, index) => state === "SUCCEEDED" || jobId !== running[index]?.jobId)
        })
        signal([...runs, victim.pid], "SIGCONT")
        for (const id of ids) {
          const detail = await watching.ended(id)
          expect([detail.state, detail.error, detail.archive]).toEqual(["SUCCEEDED", null, id])
        }
        // The frozen one is awake, and agrees with the others.
        await tenantOf(victim.url).ended(ids[0]!)
        const before = await Promise.all(ids.map((id) => watching.get<Output>(`flowline/executions/${id}/output`)))
        const archives = await watching.get<ReadonlyArray<{ readonly id: string }>>("archives")
        expect(archives.map(({ id }) => id).sort()).toEqual([...ids].sort())
        await new Promise((done) => setTimeout(done, 1000))
        for (const [index, id] of ids.entries()) {
          const { events } = await tenant.detail(id)
          expect(events.map(({ event }) => event)).toEqual(["stream.application.end", "stream.application.start"])
          const output = await outputOf(id)
          expect(output).toEqual(before[index])
          expect(output.lines.map(({ seq }) => seq)).toEqual(output.lines.map((_, at) => at + 1))
          // The output of an abandoned attempt stays; the last attempt printed everything.
          expect(output.lines.slice(-count).map(({ text }) => JSON.parse(text).message)).toEqual(messages)
        }
      })
    })
  )
})

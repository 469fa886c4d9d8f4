import { PgClient } from "@effect/sql-pg"
import { expect, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { Reactivity } from "effect/reactivity"
import { act, all, channelOf, members, pidOf, shardsHeld, ticking, until } from "../cluster/members.ts"
import { receiver } from "../cluster/receiver.ts"
import { freshDatabase } from "../support/postgres.ts"
import { eventually, until as seen } from "../support/process.ts"

/** On a signal, blocks the event loop of a process for nine seconds: longer than the leases of shards and runs. */
const stalling = (() => {
  const code = `process.on("SIGUSR2",()=>Atomics.wait(new Int32Array(new SharedArrayBuffer(4)),0,0,9000))`
  return `--import=data:text/javascript,${encodeURIComponent(code)}`
})()

it.live("a gateway whose event loop stands still keeps its runs, and nobody takes them over", () =>
  Effect.gen(function* () {
    const database = yield* freshDatabase
    const sql = yield* PgClient.makeClient({ url: database })
    const { addChannel, start } = yield* members
    const { url: target, records } = yield* receiver
    addChannel("ticks", { one: ticking(`${target}one`), two: ticking(`${target}two`) })
    const variables = { NODE_OPTIONS: stalling, FLOW_DATABASE_URL: Redacted.value(database) }
    const gateways = yield* Effect.promise(() => Promise.all([start(variables), start(variables)]))
    yield* seen(shardsHeld(sql), all(2))
    yield* Effect.promise(async () => {
      expect(await act(gateways[0].url, "ticks", "start")).toBe(201)
      const { jobs } = await until(gateways[0].url, "ticks", "ACTIVE")
      const busy = gateways.find(({ pid }) => pid === pidOf(jobs[0]!.node))!
      const other = gateways.find((gateway) => gateway !== busy)!
      const runs = async () =>
        (await channelOf(other.url, "ticks")).jobs.map(({ node, jobId, restarts }) => ({ node, jobId, restarts }))
      const before = await runs()
      busy.process.kill("SIGUSR2")
      expect((await fetch(`${busy.url}/health/live`)).status).toBe(200)
      // Whatever was missed meanwhile would end a run within a second or two.
      const count = records.length
      await eventually("the jobs go on", () => records.length > count + 100)
      await until(other.url, "ticks", "ACTIVE")
      expect(await runs()).toEqual(before)
    })
  }).pipe(Effect.provide(Reactivity.layer), Effect.scoped)
)

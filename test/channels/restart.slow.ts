import { appendFileSync, mkdirSync, renameSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { act, channelOf, until } from "../cluster/members.ts"
import { configuration } from "../support/conf.ts"
import { putCluster } from "../support/postgresServer.ts"
import { eventually } from "../support/process.ts"
import { postgresOf, signal, site } from "../support/process-gateway.ts"
import { tenantOf } from "../support/runs.ts"

const following = `
runtime: stream
dag:
  - { type: file_input, settings: { path: access.log, follow: true }, publish: [ { stream: out } ] }
  - { type: show, settings: { limit: 100000 }, subscribe: [ { component: file_input, stream: out } ] }
`

interface Output {
  readonly lines: ReadonlyArray<{ readonly text: string }>
}

describe("a gateway that is killed together with its PostgreSQL", () => {
  it.live("has its started channels back, goes on where they were, and leaves the stopped ones alone", () =>
    Effect.gen(function* () {
      const conf = yield* configuration
      const here = yield* site({ embedded: true, variables: { FLOW_CONF: conf.root } })
      yield* putCluster(here.data)
      const tenant = conf.folderOf("mytenant")
      const log = join(tenant, "access.log")
      writeFileSync(log, "")
      for (const channel of ["on", "off"]) {
        const folder = join(tenant, "channels", channel)
        mkdirSync(folder, { recursive: true })
        writeFileSync(join(folder, "channel_structure.yaml"), "jobs: [{ name: follow, runtime: stream }]")
        writeFileSync(join(folder, "follow.yaml"), following)
      }
      yield* Effect.promise(async () => {
        let gateway = await here.start()
        for (const channel of ["on", "off"]) {
          expect(await act(gateway.url, channel, "start")).toBe(201)
          await until(gateway.url, channel, "ACTIVE")
        }
        expect(await act(gateway.url, "off", "stop")).toBe(204)
        let written = 0
        const seen = async (channel: string) => {
          const { lines } = await tenantOf(gateway.url).get<Output>(`channels/${channel}/jobs/local/follow/output`)
          return lines.map(({ text }) => Number(JSON.parse(text).message))
        }
        for (let line = 0; line < 20; line++) appendFileSync(log, `${++written}\n`)
        await eventually("the lines are read", async () => (await seen("on")).includes(written))
        signal([...postgresOf(here.data), gateway.pid], "SIGKILL")
        await gateway.exit
        // Lines that are written while everything is down are read as well.
        appendFileSync(log, `${++written}\n`)
        gateway = await here.start()
        await until(gateway.url, "on", "ACTIVE")
        await eventually("the line is read", async () => (await seen("on")).includes(written))
        // At least once: nothing is missing, and a duplicate exists because its position was not saved.
        const all = await seen("on")
        expect([...new Set(all)].sort((a, b) => a - b)).toEqual(
          Array.from({ length: written }, (_, index) => index + 1)
        )
        expect(await seen("off")).toEqual([])
        await until(gateway.url, "off", "STOPPED")
        expect((await until(gateway.url, "on", "ACTIVE")).jobs[0]).toMatchObject({ restarts: 0, lastError: null })
      })
    })
  )
})

it.live("a started job whose channel is away at a start of the gateway comes back with it, at no expense", () =>
  Effect.gen(function* () {
    const conf = yield* configuration
    const here = yield* site({ variables: { FLOW_CONF: conf.root } })
    const folder = join(conf.folderOf("mytenant"), "channels", "on")
    mkdirSync(folder, { recursive: true })
    // The first run that fails would be the last one.
    const restart = "restart: { initial: 100ms, max: 200ms, perHour: 0 }"
    writeFileSync(join(folder, "channel_structure.yaml"), `jobs: [{ name: follow, runtime: stream, ${restart} }]`)
    writeFileSync(join(folder, "follow.yaml"), following)
    writeFileSync(join(conf.folderOf("mytenant"), "access.log"), "")
    yield* Effect.promise(async () => {
      const first = await here.start()
      expect(await act(first.url, "on", "start")).toBe(201)
      await until(first.url, "on", "ACTIVE")
      await first.kill("SIGTERM")
      renameSync(folder, `${conf.root}/away`)
      const { url } = await here.start()
      const job = async () => (await channelOf(url, "on")).jobs[0]
      await eventually("the job says why", async () => /no channel_structure/.test((await job())?.lastError ?? ""))
      expect(await job()).toMatchObject({ status: "RESTARTING", restarts: 0 })
      expect(await job()).not.toHaveProperty("failures")
      renameSync(`${conf.root}/away`, folder)
      expect((await until(url, "on", "ACTIVE")).jobs[0]).toMatchObject({ restarts: 0 })
    })
  })
)

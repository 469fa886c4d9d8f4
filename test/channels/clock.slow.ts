import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { act, members, until } from "../cluster/members.ts"
import { tenantOf } from "../support/runs.ts"

const hour = 3_600_000

const batch = `
runtime: analytics
dag:
  - { type: file_input, component: files, settings: { path: none.csv }, publish: [ { stream: rows } ] }
  - { type: show, subscribe: [ { component: files, stream: rows } ] }
`

const Scheduled = Schema.Struct({
  jobs: Schema.Tuple([Schema.Struct({ nextRun: Schema.String, since: Schema.String })])
})

/** Shifts the clock of a process by so many milliseconds. */
const wrongBy = (millis: number): string => {
  const code = `const now=Date.now;Date.now=()=>now()+${millis}`
  return `--import=data:text/javascript,${encodeURIComponent(code)}`
}

it.live("the next run of a schedule is by the database's clock, however wrong the gateway's is", () =>
  Effect.gen(function* () {
    const { conf, start } = yield* members
    const folder = join(conf.folderOf("mytenant"), "channels", "hours")
    mkdirSync(folder, { recursive: true })
    const structure = 'applications: [ { name: one, runtime: analytics, schedule: "0 0 * * * *" } ]'
    writeFileSync(join(folder, "channel_structure.yaml"), structure)
    writeFileSync(join(folder, "one.yaml"), batch)
    yield* Effect.promise(async () => {
      const { url } = await start({ NODE_OPTIONS: wrongBy(5 * hour) })
      expect(await act(url, "hours", "start")).toBe(201)
      await until(url, "hours", "ACTIVE")
      const [{ nextRun, since }] = Schema.decodeUnknownSync(Scheduled)(await tenantOf(url).get("channels/hours")).jobs
      expect(Date.parse(nextRun) - Date.parse(since)).toBeLessThanOrEqual(hour)
    })
  })
)

import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { eventually } from "../support/process.ts"
import { isAlive, runnersOf, site, temporary } from "../support/process-gateway.ts"
import { tenantOf } from "../support/runs.ts"

/** Appends the lines of a file, so many per second. */
const appending = (path: string, rate: number) => `
runtime: stream
dag:
  - { type: file_input, settings: { path: ${path} }, publish: [ { stream: lines } ] }
  - type: rate_limit
    settings: { records_per_second: ${rate} }
    subscribe: [ { component: file_input, stream: lines } ]
    publish: [ { stream: slow } ]
  - type: file_output
    settings: { path: out/all.log, append: true }
    subscribe: [ { component: rate_limit, stream: slow } ]
`

const linesOf = (path: string): ReadonlyArray<string> =>
  existsSync(path) ? readFileSync(path, "utf8").split("\n").slice(0, -1) : []

const lines = (name: string, count: number) => Array.from({ length: count }, (_, at) => `${name} ${at}`)

describe("a gateway that is killed while a run appends to a file", () => {
  it.live("has every line once, in order, and keeps others from the file until the run has ended", () =>
    Effect.gen(function* () {
      const conf = yield* temporary
      const folder = join(conf, "tenants", "mytenant")
      mkdirSync(folder, { recursive: true })
      const files = { early: lines("early", 10), long: lines("long", 6000), late: lines("late", 10) }
      for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), `${content.join("\n")}\n`)
      const here = yield* site({ variables: { FLOW_CONF: conf } })
      const out = join(here.data, "blobs", "mytenant", "data", "out", "all.log")
      yield* Effect.promise(async () => {
        let gateway = await here.start()
        const early = await tenantOf(gateway.url).run(appending("early", 1_000_000))
        assert.strictEqual((await tenantOf(gateway.url).ended(early)).state, "SUCCEEDED")

        const long = await tenantOf(gateway.url).run(appending("long", 2000))
        await eventually("some lines", () => linesOf(out).length > 1000)
        const refused = async () => {
          const id = await tenantOf(gateway.url).run(appending("late", 1_000_000))
          const { state, error } = await tenantOf(gateway.url).ended(id)
          assert.strictEqual(state, "FAILED")
          assert.include(error, `file_output: the execution ${long} appends to the file "out/all.log"`)
        }
        await refused()
        const runners = runnersOf(gateway.pid)
        await gateway.kill("SIGKILL")
        await eventually("the run is gone", () => !runners.some(isAlive))
        assert.isBelow(linesOf(out).length, 6010)

        gateway = await here.start()
        await refused()
        assert.strictEqual((await tenantOf(gateway.url).ended(long)).state, "SUCCEEDED")
        const late = await tenantOf(gateway.url).run(appending("late", 1_000_000))
        assert.strictEqual((await tenantOf(gateway.url).ended(late)).state, "SUCCEEDED")
        assert.deepStrictEqual(linesOf(out), [...files.early, ...files.long, ...files.late])
      })
    })
  )
})

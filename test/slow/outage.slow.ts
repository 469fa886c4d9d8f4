import { readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { database } from "../cluster/database.ts"
import { eventually } from "../support/process.ts"
import { residentMib, site } from "../support/process-gateway.ts"
import { type Detail, tenantOf } from "../support/runs.ts"

const outage = 60_000
const count = 60_000

/** A run that prints and stores more than all buffers between it and the database hold: about 90 s of output. */
const talking = `
runtime: stream
dag:
  - type: generator_input
    settings: { messages: ["${"x".repeat(200)}"], count: ${count}, rate: 700 }
    publish: [ { stream: out } ]
  - { type: show, settings: { limit: ${count} }, subscribe: [ { component: generator_input, stream: out } ] }
  - { type: file_output, settings: { path: all.ndjson }, subscribe: [ { component: generator_input, stream: out } ] }
  - { type: search_output, settings: { index: mytenant-all }, subscribe: [ { component: generator_input, stream: out } ] }
`

/** Ends while the database is away, and so publishes its file afterwards. */
const short = `
runtime: stream
dag:
  - type: generator_input
    settings: { messages: [one], count: 300, rate: 10 }
    publish: [ { stream: out } ]
  - { type: file_output, settings: { path: short.ndjson }, subscribe: [ { component: generator_input, stream: out } ] }
`

const names = ({ events }: Detail) => events.map(({ event }) => event.replace("stream.application.", ""))

describe("an outage of an outside database for a minute", () => {
  it.live(
    "ends no run of a single gateway, whose memory stays bounded",
    () =>
      Effect.gen(function* () {
        const here = yield* site()
        const { url, frozen } = yield* database
        yield* Effect.promise(async () => {
          const gateway = await here.start({ FLOW_DATABASE_URL: url })
          const tenant = tenantOf(gateway.url)
          const ids = [await tenant.run(talking), await tenant.run(short)]
          const before = await Promise.all(ids.map((id) => tenant.running(id)))
          const resident = residentMib(gateway.pid)
          await frozen(() => new Promise((done) => setTimeout(done, outage)))
          expect(residentMib(gateway.pid)).toBeLessThan(resident + 100)
          await eventually("it is ready", async () => (await fetch(`${gateway.url}/health/ready`)).status === 200)
          for (const [index, id] of ids.entries()) {
            const detail = await tenant.ended(id, 600_000)
            expect([detail.state, detail.error, names(detail), detail.jobId]).toEqual([
              "SUCCEEDED",
              null,
              ["end", "start"],
              before[index]!.jobId
            ])
          }
          const lines = (name: string) =>
            readFileSync(join(here.data, "blobs", "mytenant", "data", name), "utf8")
              .trimEnd()
              .split("\n").length
          expect([lines("all.ndjson"), lines("short.ndjson")]).toEqual([count, 300])
          const { lines: said } = await tenant.get<{ lines: ReadonlyArray<{ seq: number }> }>(
            `flowline/executions/${ids[0]}/output`
          )
          expect(said.map(({ seq }) => seq)).toEqual(Array.from({ length: count }, (_, index) => index + 1))
          const found = await fetch(`${gateway.url}/v1/mytenant/search`, {
            method: "POST",
            headers: { "content-type": "application/json" },
            body: JSON.stringify({ index: "mytenant-all", query: { match_all: {} }, limit: 1, total: true })
          })
          expect(JSON.parse(await found.text())).toMatchObject({ total: count })
        })
      }),
    900_000
  )
})

import { appendFileSync, existsSync, mkdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { eventually } from "../support/process.ts"
import { isAlive, runnersOf, site, temporary } from "../support/process-gateway.ts"
import { tenantOf } from "../support/runs.ts"

const flowline = `
runtime: stream
dag:
  - type: file_input
    settings: { path: logs/a.log, follow: true, source: true, multiline: { start: "^event", flush_after: 3600 } }
    publish: [ { stream: events } ]
  - type: file_output
    settings: { path: all.ndjson, append: true }
    subscribe: [ { component: file_input, stream: events } ]
`

const linesOf = (number: number) => [`event ${number}\n`, `  at é ${number}\n`, "  at last\n"]

const recordsOf = (path: string): ReadonlyArray<Record<string, unknown>> =>
  existsSync(path)
    ? readFileSync(path, "utf8")
        .split("\n")
        .slice(0, -1)
        .map((line) => JSON.parse(line))
    : []

describe("a gateway that is killed while a run joins lines", () => {
  it.live("has every event whole and once, with its place", () =>
    Effect.gen(function* () {
      const conf = yield* temporary
      const logs = join(conf, "tenants", "mytenant", "logs")
      mkdirSync(logs, { recursive: true })
      const here = yield* site({ variables: { FLOW_CONF: conf } })
      const out = join(here.data, "blobs", "mytenant", "data", "all.ndjson")
      const log = join(logs, "a.log")
      let written = 0
      const write = (count: number) => {
        const from = written
        written += count
        appendFileSync(log, Array.from({ length: count }, (_, at) => linesOf(from + at).join("")).join(""))
      }
      const until = (what: string, count: () => number) =>
        Effect.promise(() => eventually(what, () => recordsOf(out).length >= count()))
      write(500)
      let gateway = yield* Effect.promise(() => here.start())
      const id = yield* Effect.promise(() => tenantOf(gateway.url).run(flowline))
      // A third death would leave the execution lost.
      for (let death = 0; death < 2; death++) {
        // The last event waits for the line after it.
        yield* until("the events but the last", () => written - 1)
        const [first, ...rest] = linesOf(written)
        appendFileSync(log, first!)
        yield* until("the event before the half one", () => written)
        const runners = runnersOf(gateway.pid)
        yield* Effect.promise(() => gateway.kill("SIGKILL"))
        yield* Effect.promise(() => eventually("the run is gone", () => !runners.some(isAlive)))
        appendFileSync(log, rest.join(""))
        written++
        write(300)
        gateway = yield* Effect.promise(() => here.start())
      }
      yield* until("all events but the last", () => written - 1)
      appendFileSync(log, "event over\n")
      yield* until("all events", () => written)
      const bytes = readFileSync(log)
      const records = recordsOf(out)
      assert.deepStrictEqual(
        records.map(({ message }) => message),
        Array.from({ length: written }, (_, number) => linesOf(number).join("").slice(0, -1))
      )
      records.forEach(({ _source, message }, number) => {
        const { line, offset } = _source as { line: number; offset: number }
        assert.strictEqual(line, 3 * number + 1)
        const length = Buffer.byteLength(String(message))
        assert.strictEqual(bytes.subarray(offset, offset + length).toString(), message)
      })
      const { state } = yield* Effect.promise(() => tenantOf(gateway.url).detail(id))
      assert.strictEqual(state, "RUNNING")
    })
  )
})

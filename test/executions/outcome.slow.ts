import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { hasPython } from "../pybatch/support.ts"
import { configuration } from "../support/conf.ts"
import { ended, flowlineForm, gateway, raw, TestGateway } from "../support/gateway.ts"
import { until } from "../support/process.ts"

const tenant = "mytenant"

/** The detail of a run of this flowline, when it has ended. */
const run = Effect.fnUntraced(function* (text: string) {
  const { client } = yield* TestGateway
  const { id } = yield* client.flowlines.executeOnce({ params: { tenant }, payload: flowlineForm(text) })
  return yield* ended(tenant, id.slice(0, 20), id)
})

type Parts = Readonly<Record<"input" | "node" | "settings", string>>
const input =
  '{ type: generator_input, component: lines, settings: { messages: ["a 1", "b 2", "c", "d"], count: 4 }, publish: [ { stream: out } ] }'
const parse =
  '{ type: grok, component: parse, settings: { patterns: [ "^%{WORD:word} %{NUMBER:number}$" ] }, subscribe: [ { component: lines, stream: out } ], publish: [ { stream: out } ] }'

const stream = (given: Partial<Parts> = {}) => {
  const name = /component: (\w+)/.exec(given.node ?? parse)?.[1] ?? ""
  return `
runtime: stream
settings: { ${given.settings ?? ""} }
dag:
  - ${given.input ?? input}
  - ${given.node ?? parse}
  - { type: show, component: end, subscribe: [ { component: ${name}, stream: out } ] }
`
}

const files = (path: string) =>
  `{ type: file_input, component: lines, settings: { path: "${path}" }, publish: [ { stream: out } ] }`

const failing = (condition: string) => `failWhen: [ '${condition}' ]`

layer(
  Layer.unwrap(
    Effect.map(configuration, ({ root, folderOf }) => {
      const folder = folderOf(tenant)
      mkdirSync(join(folder, "nodes"), { recursive: true })
      mkdirSync(join(folder, "channels/log"), { recursive: true })
      writeFileSync(join(folder, "table.csv"), "key,name\nx,ex\n")
      writeFileSync(join(folder, "lines.log"), "a 1\nb 2\nc\nd\n")
      writeFileSync(join(folder, "latin.log"), Buffer.from("caf\u00e9 1\nb 2\n", "latin1"))
      writeFileSync(join(folder, "large.log"), "a 1\nb\n".repeat(50_000))
      writeFileSync(
        join(folder, "nodes/check.py"),
        `from flow import Node


class Check(Node):
    def execute(self, rows):
        for row in rows:
            if " " in row["message"]:
                yield row
            else:
                self.reject(row, "no blank")
`
      )
      writeFileSync(
        join(folder, "channels/log/channel_structure.yaml"),
        `jobs:
  - { name: bad, runtime: stream }
  - { name: stopped, runtime: stream, restart: { perHour: 0 } }
`
      )
      writeFileSync(join(folder, "channels/log/bad.yaml"), stream())
      writeFileSync(join(folder, "channels/log/stopped.yaml"), stream({ settings: failing("rejected > 1") }))
      return gateway({ conf: root })
    })
  ),
  { excludeTestServices: true }
)("what comes of a run", (it) => {
  it.effect("is warnings when an input is in another encoding, also where parts read it", () =>
    Effect.gen(function* () {
      for (const settings of ["", "parallelism: 2"]) {
        const some = yield* run(stream({ input: files("latin.log"), settings }))
        const [read] = some.nodes.filter(({ component }) => component === "lines")
        expect(read).toMatchObject({ files: 1, replacedBytes: 1, recordsOut: 2, errors: 0 })
        expect(some.reasons).toContain(`lines: ${read?.warning}`)
        expect(some.outcome).toBe("warnings")
      }
    })
  )

  it.effect("is ok, warnings or nothing, with counts and reasons, in the detail, the list and the events", () =>
    Effect.gen(function* () {
      const { client } = yield* TestGateway
      const some = yield* run(stream())
      const reason = "parse rejected 2 of 4 records: no pattern matches the field message"
      const told = { outcome: "warnings", counts: { read: 4, written: 2, rejected: 2, dropped: 0 }, reasons: [reason] }
      expect(some).toMatchObject({ state: "SUCCEEDED", ...told })
      expect(some.nodes.find(({ component }) => component === "parse")).toMatchObject({
        ...{ recordsIn: 4, recordsOut: 2, errors: 2, matched: 2, unmatched: 2 }
      })
      expect(some.events[0]).toMatchObject({ event: "stream.application.end", outcome: "warnings", detail: reason })
      const listed = yield* client.executions.list({ params: { tenant }, query: { flowline: some.flowlineId } })
      expect(listed).toMatchObject([{ id: some.id, state: "SUCCEEDED", ...told }])

      const good = yield* run(stream({ input: input.replace('"c", "d"', '"c 3", "d 4"') }))
      expect(good).toMatchObject({ outcome: "ok", counts: { read: 4, written: 4, rejected: 0, dropped: 0 } })
      expect(good.reasons).toBeUndefined()
      expect(good.events[0]).toMatchObject({ outcome: "ok" })
      expect(good.events[0]?.detail).toBeUndefined()
    })
  )

  it.effect("is nothing when every record was rejected or dropped, or no file was there", () =>
    Effect.gen(function* () {
      expect(yield* run(stream({ node: parse.replace("%{WORD:word} ", "%{IP:ip} ") }))).toMatchObject({
        state: "SUCCEEDED",
        outcome: "nothing",
        counts: { read: 4, written: 0, rejected: 4, dropped: 0 },
        reasons: ["parse rejected all 4 records: no pattern matches the field message", "no record reached an output"]
      })
      const filter =
        "{ type: filter, component: chosen, settings: { where: 1 > 2 }, subscribe: [ { component: lines, stream: out } ], publish: [ { stream: out } ] }"
      expect(yield* run(stream({ node: filter }))).toMatchObject({
        outcome: "nothing",
        counts: { read: 4, written: 0, rejected: 0, dropped: 4 },
        reasons: ["chosen dropped all 4 records", "no record reached an output"]
      })
      expect(yield* run(stream({ input: files("no/*.log") }))).toMatchObject({
        outcome: "nothing",
        counts: { read: 0, written: 0 },
        reasons: ["lines found no file to read", "no record reached an output"],
        nodes: [{ component: "lines", files: 0 }, {}, {}]
      })
    })
  )

  it.effect("is a warning when nothing was enriched", () =>
    Effect.gen(function* () {
      const enrich = (messages: string) =>
        stream({
          input: `{ type: generator_input, component: lines, settings: { messages: [${messages}], count: 2 }, publish: [ { stream: out } ] }`,
          node: "{ type: enrich, component: names, settings: { field: message, path: table.csv, key: key }, subscribe: [ { component: lines, stream: out } ], publish: [ { stream: out } ] }"
        })
      expect(yield* run(enrich("a, b"))).toMatchObject({
        outcome: "warnings",
        counts: { read: 2, written: 2, rejected: 0 },
        reasons: ["names matched none of 2 records"]
      })
      const half = yield* run(enrich("a, x"))
      expect(half).toMatchObject({ outcome: "ok", nodes: [{}, { matched: 1, unmatched: 1 }, {}] })
    })
  )

  it.effect("counts the same in parallel parts", () =>
    Effect.gen(function* () {
      const of = (settings: string) => run(stream({ settings, input: files("large.log") }))
      const [one, many] = [yield* of(""), yield* of("parallelism: 2, memory_mib: 512")]
      expect(one.counts).toEqual({ read: 100_000, written: 50_000, rejected: 50_000, dropped: 0 })
      expect(many).toMatchObject({ outcome: "warnings", counts: one.counts, reasons: one.reasons, nodes: one.nodes })
    })
  )

  const analytics = (path: string, settings = "", where = "true") => `
runtime: analytics
settings: { ${settings} }
dag:
  - ${files(path)}
  - { type: sql, component: chosen, settings: { statement: "SELECT message FROM lines WHERE ${where}" }, subscribe: [ { component: lines, stream: out } ], publish: [ { stream: out } ] }
  - { type: show, component: end, subscribe: [ { component: chosen, stream: out } ] }
`
  it.effect("is told of analytics", () =>
    Effect.gen(function* () {
      expect(yield* run(analytics("lines.log"))).toMatchObject({
        state: "SUCCEEDED",
        outcome: "ok",
        counts: { read: 4, written: 4, rejected: 0, dropped: 0 }
      })
      expect(yield* run(analytics("lines.log", "", "message LIKE 'z%'"))).toMatchObject({
        outcome: "nothing",
        counts: { read: 4, written: 0 },
        reasons: ["no record reached an output"]
      })
      expect(yield* run(analytics("no/*.log").replace("SELECT message", "SELECT *"))).toMatchObject({
        outcome: "nothing",
        reasons: ["lines found no file to read", "no record reached an output"]
      })
      expect(yield* run(analytics("lines.log", failing("written < 3"), "message LIKE '% %'"))).toMatchObject({
        state: "FAILED",
        error: "settings.failWhen ends this run as failed: written < 3 (written is 2)",
        counts: { read: 4, written: 2 }
      })
    })
  )

  const pybatch = (settings = "") => `
runtime: pybatch
settings: { ${settings} }
dag:
  - ${files("lines.log")}
  - { type: check, subscribe: [ { component: lines, stream: out } ], publish: [ { stream: out } ] }
  - { type: show, component: end, subscribe: [ { component: check, stream: out } ] }
`
  it.effect.runIf(hasPython)("is told of pybatch", () =>
    Effect.gen(function* () {
      expect(yield* run(pybatch())).toMatchObject({
        state: "SUCCEEDED",
        outcome: "warnings",
        counts: { read: 4, written: 2, rejected: 2, dropped: 0 },
        reasons: ["check rejected 2 of 4 records: no blank"]
      })
      expect(yield* run(pybatch(failing("check.rejected >= 50 %")))).toMatchObject({
        state: "FAILED",
        error: "settings.failWhen ends this run as failed: check.rejected >= 50 % (check.rejected is 2 of 4 (50 %))"
      })
    })
  )

  it.effect("is a failure when failWhen says so, without an archive", () =>
    Effect.gen(function* () {
      const text = (condition: string) =>
        stream({ settings: failing(condition) }).replace("type: show", "type: archive_output")
      const failed = yield* run(text("records == 0 or rejected > 5 %"))
      const error =
        "settings.failWhen ends this run as failed: records == 0 or rejected > 5 % (rejected is 2 of 4 (50 %))"
      expect(failed).toMatchObject({
        state: "FAILED",
        error,
        archive: null,
        counts: { read: 4, written: 2, rejected: 2, dropped: 0 }
      })
      expect(failed.outcome).toBeUndefined()
      expect(failed.events[0]).toMatchObject({ event: "stream.application.failed", detail: error })
      const kept = yield* run(text("rejected > 50 %"))
      expect(kept).toMatchObject({ state: "SUCCEEDED", archive: kept.id })
    })
  )

  it.effect("is shown of jobs of channels, and in metrics", () =>
    Effect.gen(function* () {
      const { client } = yield* TestGateway
      yield* raw(`/v1/${tenant}/channels/log/start`, { method: "POST" })
      const status = client.channels.status({ params: { tenant, channel: "log" } })
      const { jobs } = yield* until(status, (found) =>
        found.jobs.every((job) => ["FINISHED", "FAILED"].includes(job.status))
      )
      const counts = { read: 4, written: 2, rejected: 2, dropped: 0 }
      expect(jobs).toMatchObject([
        {
          status: "FINISHED",
          outcome: "warnings",
          counts,
          reasons: ["parse rejected 2 of 4 records: no pattern matches the field message"]
        },
        { status: "FAILED", lastError: expect.stringContaining("rejected > 1 (rejected is 2)") as string, counts }
      ])
      const metrics = yield* Effect.flatMap(raw("/metrics"), (response) => Effect.promise(() => response.text()))
      expect(metrics).toMatch(/flow_job_outcome\{[^}]*job="bad"[^}]*outcome="warnings"[^}]*\} 1/)
      expect(metrics).toMatch(/flow_job_outcome\{[^}]*job="bad"[^}]*outcome="ok"[^}]*\} 0/)
      expect(metrics).toMatch(/flow_executions_outcome_total\{[^}]*outcome="nothing"[^}]*\} [1-9]/)
      expect(metrics).toMatch(/flow_execution_records_total\{[^}]*what="rejected"[^}]*\} [1-9]/)
    })
  )
})

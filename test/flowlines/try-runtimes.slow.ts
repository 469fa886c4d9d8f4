import { mkdirSync, writeFileSync } from "node:fs"
import { request } from "node:http"
import { join } from "node:path"
import { expect, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { hasPython } from "../pybatch/support.ts"
import { gateway, TestGateway, temporaryFolder } from "../support/gateway.ts"
import { eventually } from "../support/process.ts"
import { runnersOf } from "../support/process-gateway.ts"
import { byName, recordsOf, refused, tenant, tryForm, tryOut } from "./trying.ts"

const secret = "correct-horse-battery-staple"

const withSecret = Layer.unwrap(
  Effect.map(temporaryFolder, (folder) => {
    mkdirSync(join(folder, tenant))
    writeFileSync(join(folder, tenant, "TOKEN"), secret, { mode: 0o600 })
    return gateway({ secrets: { folder, keyFile: undefined } })
  })
)

const totals = `
runtime: analytics
dag:
  - { type: file_input, component: sales, settings: { path: none/sales.csv }, publish: [{ stream: rows }] }
  - { type: dataset_generator, component: cities, settings: { rows: [{ id: 1, city: Brno }, { id: 2, city: Oslo }] }, publish: [{ stream: rows }] }
  - type: sql
    component: total
    settings: { statement: "SELECT c.city, sum(s.amount)::INTEGER AS total FROM sales s JOIN cities c ON c.id = s.city GROUP BY ALL ORDER BY city" }
    subscribe: [{ component: sales, stream: rows }, { component: cities, stream: rows }]
    publish: [{ stream: totals }]
  - type: sql
    component: large
    settings: { statement: "SELECT city FROM total WHERE total > 10" }
    subscribe: [{ component: total, stream: totals }]
    publish: [{ stream: out }]
  - { type: archive_output, settings: { entry: large.csv }, subscribe: [{ component: large, stream: out }] }
`

const python = `
runtime: pybatch
dag:
  - { type: file_input, component: access, settings: { path: none/access.log }, publish: [{ stream: lines }] }
  - { type: parse_access, component: parse, subscribe: [{ component: access, stream: lines }], publish: [{ stream: parsed }] }
  - { type: count_by, component: count, settings: { field: path }, subscribe: [{ component: parse, stream: parsed }], publish: [{ stream: counts }] }
  - { type: archive_output, settings: { entry: paths.ndjson }, subscribe: [{ component: count, stream: counts }] }
`

const slow = `
runtime: stream
dag:
  - { type: dataset_generator, settings: { rows: [{ a: 1 }] }, publish: [{ stream: out }] }
  - type: rate_limit
    settings: { records_per_second: 0.01 }
    subscribe: [{ component: dataset_generator, stream: out }]
    publish: [{ stream: out }]
  - { type: show, subscribe: [{ component: rate_limit, stream: out }] }
`

layer(withSecret, { excludeTestServices: true })("tries of every runtime", (it) => {
  it.effect("show the relations between the nodes of analytics", () =>
    Effect.gen(function* () {
      const sales = "city,amount\n1,7\n2,30\n1,2\n"
      const answer = yield* tryOut(totals, { sample: sales, input: "sales" })
      expect(answer).toMatchObject({ outcome: "succeeded" })
      expect(answer.edges.map(({ from, to, count }) => [from, to, count])).toEqual([
        ["sales", ["total"], 3],
        ["cities", ["total"], 2],
        ["total", ["large"], 2],
        ["large", ["archive_output"], 1]
      ])
      // As in a run, DuckDB finds out that the amounts are numbers.
      expect(recordsOf(answer, "sales")).toEqual([
        [
          { city: 1, amount: 7 },
          { city: 2, amount: 30 },
          { city: 1, amount: 2 }
        ]
      ])
      expect(recordsOf(answer, "total")).toEqual([
        [
          { city: "Brno", total: 9 },
          { city: "Oslo", total: 30 }
        ]
      ])
      const { total, large, archive_output } = byName(answer)
      expect(total).toMatchObject({ recordsIn: 5, recordsOut: 2 })
      expect(total?.micros).toBeGreaterThan(0)
      expect(large).toMatchObject({ recordsIn: 2, recordsOut: 1 })
      expect(archive_output).toMatchObject({ recordsIn: 1, recordsOut: 0 })
      const failed = yield* tryOut(totals, { sample: "city,amount\n1,seven\n", input: "sales" })
      expect(failed).toMatchObject({ outcome: "failed", component: "total" })
      expect(recordsOf(failed, "sales")).toEqual([[{ city: 1, amount: "seven" }]])
    })
  )

  it.effect("give records to analytics, and the first rows of a real file", () =>
    Effect.gen(function* () {
      const records = JSON.stringify([{ city: 2, amount: 11 }])
      const answer = yield* tryOut(totals, { records, input: "sales" })
      expect(recordsOf(answer, "large")).toEqual([[{ city: "Oslo" }]])
      const real = totals
        .replace("none/sales.csv", "resources/http-status.csv")
        .replace(/SELECT c.city.*ORDER BY city/, "SELECT 'a' AS city, 1 AS total FROM sales, cities")
      const first = yield* tryOut(real, { first: "2" })
      expect(first.edges.map(({ count }) => count)).toEqual([2, 2, 4, 0])
    })
  )

  it.effect("join the lines of a sample, say where they are, and read bytes in the encoding of the input", () =>
    Effect.gen(function* () {
      for (const runtime of ["stream", "analytics"]) {
        const reading = (settings: string) => `
runtime: ${runtime}
dag:
  - { type: file_input, component: log, settings: { path: none/app.log, ${settings} }, publish: [{ stream: events }] }
  - { type: show, subscribe: [{ component: log, stream: events }] }
`
        const multiline = "multiline: { start: '^[0-9]' }, source: true"
        const joined = yield* tryOut(reading(multiline), { sample: new Blob(["1 fails\n  at a\n2 works\n"]) })
        const place = { file: "none/app.log" }
        expect([runtime, recordsOf(joined, "log")]).toMatchObject([
          runtime,
          [
            [
              { message: "1 fails\n  at a", _source: { ...place, line: 1, offset: 0 } },
              { message: "2 works", _source: { ...place, line: 3, offset: 15 } }
            ]
          ]
        ])
        const latin = reading("format: lines, encoding: latin1")
        const bytes = yield* tryOut(latin, { sample: new Blob([Uint8Array.of(0x45, 0xe9, 0x0a)]) })
        const text = yield* tryOut(latin, { samples: JSON.stringify({ log: "E\u00e9\n" }) })
        for (const answer of [bytes, text]) expect(recordsOf(answer, "log")).toEqual([[{ message: "E\u00e9" }]])
      }
    })
  )

  it.effect.skipIf(!hasPython)("show the rows between Python nodes, and what they reject", () =>
    Effect.gen(function* () {
      const line = (path: string) => `1.2.3.4 - - [x] "GET ${path} HTTP/1.1" 200 5`
      const sample = [line("/a"), line("/b?c"), "nonsense", line("/a")].join("\n")
      const answer = yield* tryOut(python, { sample })
      expect(answer).toMatchObject({ outcome: "succeeded" })
      expect(recordsOf(answer, "parse")).toEqual([
        [
          { method: "GET", path: "/a", status: 200 },
          { method: "GET", path: "/b", status: 200 },
          { method: "GET", path: "/a", status: 200 }
        ]
      ])
      expect(recordsOf(answer, "count")).toEqual([
        [
          { path: "/a", count: 2 },
          { path: "/b", count: 1 }
        ]
      ])
      const { parse, count } = byName(answer)
      expect(parse).toMatchObject({
        recordsIn: 4,
        recordsOut: 3,
        rejected: { count: 1, records: [{ message: "nonsense", error: { node: "parse" } }] }
      })
      expect(count).toMatchObject({ recordsIn: 3, recordsOut: 2 })
      expect(count?.micros).toBeGreaterThanOrEqual(0)
    })
  )

  it.effect("mask secrets in records, and refuse a live input without a sample", () =>
    Effect.gen(function* () {
      const flowline = `
runtime: stream
dag:
  - { type: generator_input, settings: { messages: ["\${secret:TOKEN}"], count: 1 }, publish: [{ stream: out }] }
  - { type: flowlet, settings: { code: "print(event.message); return event" }, subscribe: [{ component: generator_input, stream: out }], publish: [{ stream: out }] }
  - { type: show, subscribe: [{ component: flowlet, stream: out }] }
`
      const answer = yield* tryOut(flowline)
      expect(answer).toMatchObject({ outcome: "succeeded" })
      expect(recordsOf(answer, "flowlet")).toEqual([[{ message: "***" }]])
      expect(JSON.stringify(answer)).not.toContain(secret)
      const live = `
runtime: stream
dag:
  - { type: syslog_input, settings: { port: 5514 }, publish: [{ stream: out }] }
  - { type: show, subscribe: [{ component: syslog_input, stream: out }] }
`
      expect(yield* refused(400, live)).toMatchObject({ issues: [{ part: "sample" }] })
      const heard = yield* tryOut(live, { sample: "<34>Oct 11 22:14:15 mymachine su: failed\n" })
      expect(recordsOf(heard, "syslog_input")).toMatchObject([[{ hostname: "mymachine", appname: "su" }]])
    })
  )

  it.effect("stop at the time limit with what they have found", () =>
    Effect.gen(function* () {
      const answer = yield* tryOut(`${slow}settings: { timeout_seconds: 1 }\n`, {
        records: '[{"a":1},{"a":2},{"a":3}]'
      })
      expect(answer).toMatchObject({ outcome: "failed", error: "The try was stopped at its time limit of 1 seconds" })
      expect(answer.edges[0]).toMatchObject({ count: 3 })
    })
  )

  it.effect("end with their client, and leave a share to each tenant", () =>
    Effect.gen(function* () {
      const { url } = yield* TestGateway
      const spare = () => runnersOf(process.pid)
      const form = new Response(tryForm(slow, { records: '[{"a":1},{"a":2}]' }))
      const body = Buffer.from(yield* Effect.promise(() => form.arrayBuffer()))
      const headers = { "content-type": form.headers.get("content-type") ?? "" }
      const path = `${url}/v1/${tenant}/flowline/try`
      const begin = () => {
        const sent = request(path, { method: "POST", headers, agent: false })
        sent.on("error", () => {})
        sent.end(body)
        return sent
      }
      // Two run and eight wait; the one that is too many is refused at once.
      const clients = Array.from({ length: 10 }, begin)
      const places = () => Effect.promise(() => fetch(`${url}/metrics`).then((answer) => answer.text()))
      const gauge = (text: string, name: string) =>
        Number(new RegExp(`^${name}\\{[^}]*queue="tries"[^}]*\\} (\\d+)`, "m").exec(text)?.[1])
      let text = ""
      yield* Effect.promise(() =>
        eventually("two run and eight wait", async () => {
          text = await Effect.runPromise(places())
          return gauge(text, "flow_queue_places_used") === 2 && gauge(text, "flow_queue_waiting") === 8
        })
      )
      expect(yield* refused(429, slow)).toMatchObject({ limit: "tries", value: 10, used: 11, tenant })
      for (const client of clients) client.destroy()
      yield* Effect.promise(() =>
        eventually("no try is left", async () => {
          text = await Effect.runPromise(places())
          return gauge(text, "flow_queue_places_used") === 0 && gauge(text, "flow_queue_waiting") === 0
        })
      )
      yield* Effect.promise(() => eventually("only what is kept ready is left", () => spare().length <= 1))
    })
  )
})

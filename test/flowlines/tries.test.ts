import { existsSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { dataRoot } from "../../src/services/shared/settings/Settings.ts"
import { flowlineForm, onBoth, raw, TestGateway } from "../support/gateway.ts"
import { byName, recordsOf, refused, tenant, tryOut } from "./trying.ts"

const access = `version: "1.0"
type: flowline
runtime: stream
dag:
  - type: file_input
    component: access
    settings: { path: nowhere/access.log }
    publish: [{ stream: lines }]
  - type: grok
    component: parse
    settings:
      patterns:
        - '^%{IP:client} %{WORD:verb} %{INT:status:int}$'
        - '^%{IP:client} never seen$'
    subscribe: [{ component: access, stream: lines }]
    publish: [{ stream: parsed }]
  - type: filter
    component: failed
    settings: { where: status >= 500 }
    subscribe: [{ component: parse, stream: parsed }]
    publish: [{ stream: kept }]
  - type: file_output
    component: out
    settings: { path: tried.ndjson }
    subscribe: [{ component: failed, stream: kept }]
`

const lines = ["10.0.0.1 GET 200", "10.0.0.2 GET 503", "10.0.0.3 GET nothing", "10.0.0.4 POST 500"]

onBoth("tries", (it) => {
  it.effect("only validate when they are told to: as a save does, and with parameters as an execution does", () =>
    Effect.gen(function* () {
      const answer = yield* tryOut(access.replace("status >= 500", "statsu >= 500"), { check: "true" })
      expect(answer).toMatchObject({ outcome: "succeeded", millis: 0, nodes: [], edges: [] })
      expect(answer.warnings).toEqual([expect.stringContaining('did you mean "status"')])
      const faulty = yield* refused(400, access.replace("where: status", "were: status"), { check: "true" })
      expect(faulty).toMatchObject({
        issues: [
          { pointer: "/dag/2/settings", line: 19 },
          { pointer: "/dag/2/settings/were", line: 19, column: 17 }
        ]
      })
      // An input that waits for records needs no sample, because nothing runs. Parameters are optional, as when saving.
      const open = `runtime: stream
parameters: { word: { type: string } }
dag:
  - { type: http_input, settings: { port: 4999 }, publish: [{ stream: out }] }
  - { type: grok, settings: { patterns: [ "\${param:word}" ] }, subscribe: [{ component: http_input, stream: out }], publish: [{ stream: out }] }
  - { type: show, subscribe: [{ component: grok, stream: out }] }
`
      yield* tryOut(open, { check: "true" })
      expect(yield* refused(400, open, { check: "true", parameters: "{}" })).toMatchObject({
        issues: [{ detail: 'The parameter "word" is required' }]
      })
      expect(yield* refused(400, open, { check: "yes" })).toMatchObject({ issues: [{ part: "check" }] })
    })
  )

  it.effect("show the records of every stream, and what became of the others", () =>
    Effect.gen(function* () {
      const answer = yield* tryOut(access, { sample: `${lines.join("\n")}\n` })
      expect(answer).toMatchObject({ outcome: "succeeded", warnings: [] })
      expect(answer.edges.map(({ from, stream, to, count, cut }) => [from, stream, to, count, cut])).toEqual([
        ["access", "lines", ["parse"], 4, false],
        ["parse", "parsed", ["failed"], 3, false],
        ["failed", "kept", ["out"], 2, false]
      ])
      expect(recordsOf(answer, "failed")).toEqual([
        [
          { message: lines[1], client: "10.0.0.2", verb: "GET", status: 503 },
          { message: lines[3], client: "10.0.0.4", verb: "POST", status: 500 }
        ]
      ])
      const { access: input, parse, failed, out } = byName(answer)
      expect([input, parse, failed, out].map((node) => [node?.recordsIn, node?.recordsOut])).toEqual([
        [0, 4],
        [4, 3],
        [3, 2],
        [2, 0]
      ])
      expect(failed?.dropped).toMatchObject({ count: 1, records: [{ message: lines[0], status: 200 }], cut: false })
      expect(parse?.dropped).toBeUndefined()
      for (const node of [input, parse, failed]) expect(node?.micros).toBeGreaterThanOrEqual(0)
    })
  )

  it.effect("explain a rejected record as the operator test does, and name the pattern that matched nothing", () =>
    Effect.gen(function* () {
      const { parse } = byName(yield* tryOut(access, { sample: lines.join("\n") }))
      const form = new FormData()
      form.set("input", lines[2]!)
      form.set("pattern", "^%{IP:client} %{WORD:verb} %{INT:status:int}$\n^%{IP:client} never seen$")
      const response = yield* raw("/v1/flower/grok", { method: "POST", body: form })
      const tested = (yield* Effect.promise(() => response.json())) as {
        results: Array<{ failure: { matchedUpTo: number; failedAt: string; detail: string } }>
      }
      const { matchedUpTo, failedAt, detail } = tested.results[0]!.failure
      expect(matchedUpTo).toBeGreaterThan(9)
      expect(parse?.rejected).toMatchObject({
        count: 1,
        records: [
          { message: lines[2], error: { node: "parse", explanation: { pattern: 1, matchedUpTo, failedAt, detail } } }
        ]
      })
      expect(parse?.unmatched).toEqual([
        {
          pointer: "/dag/1/settings/patterns/1",
          text: "^%{IP:client} never seen$",
          line: 14,
          column: 11
        }
      ])
      // Files that are parsed in a thread.
      for (const file of [`${access}# ${"x".repeat(10_000)}\n`, access.replace("runtime: ", "runtime: &one ")]) {
        const { parse: other } = byName(yield* tryOut(file, { sample: lines.join("\n") }))
        expect(other?.unmatched).toEqual(parse?.unmatched)
      }
    })
  )

  it.effect("write nothing, store nothing and list nothing", () =>
    Effect.gen(function* () {
      const { client, settings } = yield* TestGateway
      const listed = () => client.executions.list({ params: { tenant }, query: {} })
      const before = yield* listed()
      const saved = yield* client.flowlines.list({ params: { tenant }, query: {} })
      yield* tryOut(access, { sample: lines.join("\n") })
      expect(yield* listed()).toEqual(before)
      expect(yield* client.flowlines.list({ params: { tenant }, query: {} })).toEqual(saved)
      const folder = join(dataRoot(settings), tenant)
      const files = existsSync(folder) ? readdirSync(folder, { recursive: true, encoding: "utf8" }) : []
      expect(files.filter((name) => name.includes("tried"))).toEqual([])
    })
  )

  it.effect("take records, and records that a run has rejected", () =>
    Effect.gen(function* () {
      const rejected = { message: lines[1], tags: ["_grokparsefailure"], error: { node: "parse", reason: "none" } }
      for (const records of [
        JSON.stringify([rejected, lines[0]]),
        `${JSON.stringify(rejected)}\n${JSON.stringify({ message: lines[0] })}\n`
      ]) {
        const answer = yield* tryOut(access, { records })
        expect(recordsOf(answer, "access")).toEqual([
          [{ message: lines[1], tags: ["_grokparsefailure"] }, { message: lines[0] }]
        ])
        expect(recordsOf(answer, "failed")).toMatchObject([[{ status: 503 }]])
      }
    })
  )

  it.effect("read the first records of the real input", () =>
    Effect.gen(function* () {
      const real = access.replace("nowhere/access.log", "samples/access.log.gz")
      const answer = yield* tryOut(real, { first: "3" })
      expect(answer.edges[0]).toMatchObject({ from: "access", count: 3, cut: false })
      expect(byName(answer)["access"]).toMatchObject({ more: true, recordsOut: 3 })
      const none = yield* tryOut(real, { first: "0" })
      expect(none.edges[0]).toMatchObject({ count: 0 })
    })
  )

  it.effect("try a saved flowline by its id", () =>
    Effect.gen(function* () {
      const response = yield* raw(`/v1/${tenant}/flowline/save`, { method: "POST", body: flowlineForm(access) })
      const { id } = (yield* Effect.promise(() => response.json())) as { id: string }
      const answer = yield* tryOut(undefined, { id, sample: lines.join("\n") })
      expect(answer.edges.map(({ count }) => count)).toEqual([4, 3, 2])
      yield* refused(404, undefined, { id: "4kQz0vWbT1mXr8sYh2Lc", sample: "a" })
    })
  )

  it.effect("say what was cut", () =>
    Effect.gen(function* () {
      const many = Array.from({ length: 30 }, (_, at) => `10.0.0.1 GET ${500 + at}`).join("\n")
      const { edges } = yield* tryOut(access, { sample: many, limit: "5" })
      expect(edges.map(({ count, records, cut }) => [count, records.length, cut])).toEqual([
        [30, 5, true],
        [30, 5, true],
        [30, 5, true]
      ])
      const long = Array.from({ length: 8 }, () => "x".repeat(100_000)).join("\n")
      const wide = yield* tryOut(access, { sample: long, limit: "1000" })
      expect(wide.edges[0]).toMatchObject({ count: 8, cut: true })
      expect(wide.edges[0]!.records.length).toBeGreaterThan(0)
      expect(byName(wide)["parse"]?.rejected).toMatchObject({ count: 8, cut: true })
    })
  )

  it.effect("answer a run that fails with what came before", () =>
    Effect.gen(function* () {
      const answer = yield* tryOut(access)
      expect(answer).toMatchObject({ outcome: "failed", component: "access" })
      expect(answer.error).toContain("nowhere/access.log")
      expect(answer.nodes.map(({ component }) => component)).toEqual(["access", "parse", "failed", "out"])
    })
  )

  it.effect("refuse a faulty flowline as saving does, and a faulty form with all its faults", () =>
    Effect.gen(function* () {
      const faulty = access.replace("status >= 500", "status >= (").replace("IP:client", "NOPE:client")
      const problem = yield* refused(400, faulty, { sample: "a" })
      const response = yield* raw(`/v1/${tenant}/flowline/save`, { method: "POST", body: flowlineForm(faulty) })
      const { issues } = (yield* Effect.promise(() => response.json())) as { issues: Array<object> }
      expect(issues).toHaveLength(2)
      expect(problem).toMatchObject({ issues })
      expect(yield* refused(400, undefined, { records: "[1]", first: "-1", limit: "x" })).toMatchObject({
        issues: [
          { part: "file" },
          { part: "records", detail: "item 1 is neither a JSON object nor a text" },
          { part: "first", detail: "expected a whole number from 0 to 10000" },
          { part: "limit", detail: "expected a whole number from 0 to 1000" }
        ]
      })
      expect(yield* refused(400, access, { sample: "a", input: "acces" })).toMatchObject({
        issues: [{ part: "input", detail: 'There is no "acces" among the inputs; did you mean "access"?' }]
      })
      expect(yield* refused(413, access, { sample: "a".repeat(1024 * 1024 + 1) })).toMatchObject({
        limit: "trySample",
        value: 1024 * 1024
      })
    })
  )
})

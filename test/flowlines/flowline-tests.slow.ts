import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { program } from "../../src/drivers/Programs.ts"
import { gateway, memoryGateway, onBoth, TestGateway, temporaryFolder } from "../support/gateway.ts"
import { runFile } from "../support/process.ts"
import { save, tenant, tryOut } from "./trying.ts"

const flowline = (tests: string) => `runtime: stream
dag:
  - type: file_input
    component: access
    settings: { path: nowhere/access.log }
    publish: [{ stream: lines }]
  - type: grok
    component: parse
    settings: { patterns: ['^%{IP:client} %{INT:status:int}$'] }
    subscribe: [{ component: access, stream: lines }]
    publish: [{ stream: parsed }]
  - type: filter
    component: failed
    settings: { where: status >= 500 }
    subscribe: [{ component: parse, stream: parsed }]
    publish: [{ stream: kept }]
  - type: file_output
    component: out
    settings: { path: tested.ndjson }
    subscribe: [{ component: failed, stream: kept }]
tests:
${tests}`

const passing = `  - name: keeps failures
    given:
      access: ["10.0.0.1 200", "10.0.0.2 503", "nonsense"]
    expect:
      - at: parse
        count: 2
        rejected:
          - { message: nonsense, error: { node: parse } }
      - at: failed
        stream: kept
        match: exact
        records:
          - { message: "10.0.0.2 503", client: 10.0.0.2, status: 503 }
      - at: out
        records: [{ status: 503 }]
  - name: takes records
    given: { access: [{ message: "10.0.0.1 500", host: a }] }
    expect:
      - { at: out, records: [{ host: a }] }
`

const failing = `  - name: keeps failures
    given: { access: ["10.0.0.1 200", "10.0.0.2 503"] }
    expect:
      - at: out
        records:
          - { status: 404 }
          - { status: 503 }
  - name: adds nothing
    given: { access: ["10.0.0.1 500"] }
    expect:
      - { at: parse, match: exact, records: [{ status: 500, client: "10.0.0.1" }] }
      - { at: failed, records: [] }
`

const differences = [
  {
    line: 27,
    column: 23,
    pointer: "/tests/0/expect/0/records/0/status",
    detail: "Expected 404, found 503",
    expected: 404,
    found: 503
  },
  {
    line: 28,
    column: 13,
    pointer: "/tests/0/expect/0/records/1",
    detail: 'Expected {"status":503}, found nothing',
    expected: { status: 503 }
  },
  {
    line: 32,
    column: 46,
    pointer: "/tests/1/expect/0/records/0",
    detail: 'Expected no "message", found "10.0.0.1 500"',
    found: { message: "10.0.0.1 500" }
  },
  {
    line: 33,
    column: 32,
    pointer: "/tests/1/expect/1/records",
    detail:
      'Expected 0 records, found 1 more, the first of them {"client":"10.0.0.1","status":500,"message":"10.0.0.1 500"}'
  }
]

onBoth("tests of flowlines", (it) => {
  it.effect("are run by a try, with their inputs in place of its sample", () =>
    Effect.gen(function* () {
      const answer = yield* tryOut(flowline(passing), { sample: "10.9.9.9 599" })
      expect(answer.tests).toEqual([
        { name: "keeps failures", passed: true, differences: [] },
        { name: "takes records", passed: true, differences: [] }
      ])
      expect(answer.edges.map(({ count }) => count)).toEqual([1, 1, 1])
    })
  )

  it.effect("tell what they found otherwise, and where it is expected", () =>
    Effect.gen(function* () {
      const { tests } = yield* tryOut(flowline(failing), { sample: "" })
      expect(tests?.map(({ name, passed }) => [name, passed])).toEqual([
        ["keeps failures", false],
        ["adds nothing", false]
      ])
      expect(tests?.flatMap(({ differences }) => differences)).toMatchObject(differences)
    })
  )

  it.effect("keep a flowline from being saved when asked, and only then", () =>
    Effect.gen(function* () {
      const { client } = yield* TestGateway
      const count = Effect.map(client.flowlines.list({ params: { tenant }, query: {} }), ({ length }) => length)
      const before = yield* count
      const { status, body } = yield* save(flowline(failing), "?test=true")
      expect(status).toBe(400)
      expect(body).toMatchObject({
        detail: "The tests of the flowline fail",
        issues: differences.map(({ line, column, pointer, detail }, at) => ({
          part: "file",
          line,
          column,
          pointer,
          detail: `The test "${at < 2 ? "keeps failures" : "adds nothing"}" fails: ${detail}`
        }))
      })
      // A file that is parsed in a thread.
      const large = yield* save(`${flowline(failing)}# ${"x".repeat(10_000)}\n`, "?test=true")
      expect(large.body["issues"]).toEqual(body["issues"])
      expect(yield* count).toBe(before)
      expect(yield* save(flowline(passing), "?test=true")).toMatchObject({ status: 200 })
      expect(yield* save(flowline(failing))).toMatchObject({ status: 200 })
      expect(yield* count).toBe(before + 2)
    })
  )

  it.effect("fail when the run does", () =>
    Effect.gen(function* () {
      const enriched = flowline(passing).replace(
        "type: filter\n    component: failed\n    settings: { where: status >= 500 }",
        "type: enrich\n    component: failed\n    settings: { field: status, key: code, path: nowhere.csv }"
      )
      const { tests } = yield* tryOut(enriched, { sample: "" })
      expect(tests).toMatchObject([{ passed: false, error: expect.stringContaining("failed: ") }, { passed: false }])
    })
  )
})

layer(memoryGateway(), { excludeTestServices: true })("the section of tests", (it) => {
  it.effect("is validated when a flowline is saved", () =>
    Effect.gen(function* () {
      const faulty = `  - name: one
    given: { acces: [a], parse: [b], access: [1] }
    expect:
      - { at: pars, records: [] }
      - { at: parse, stream: parse, count: 1 }
      - { at: out, stream: kept, count: -1 }
      - { at: parse }
  - { name: one, given: {}, expect: [{ at: out, records: [], wrong: 1 }] }
`
      const { status, body } = yield* save(flowline(faulty))
      expect(status).toBe(400)
      const issues = body["issues"] as Array<{ line: number; column: number; detail: string }>
      expect(issues.map(({ line, detail }) => [line, detail])).toEqual([
        [23, 'There is no "acces" among the inputs of the flowline; did you mean "access"?'],
        [23, "parse is no input: a test gives records to inputs"],
        [23, expect.stringContaining("Expected")],
        [25, 'There is no "pars" among the components of the flowline; did you mean "parse"?'],
        [26, 'There is no "parse" among the streams of parse; did you mean "parsed"?'],
        [27, "out is an output: it receives records"],
        [27, expect.stringContaining("-1")],
        [28, "Expected records, rejected or count"],
        [29, 'There is a test "one" already'],
        [29, expect.stringContaining('There is no "wrong" here')]
      ])
    })
  )
})

layer(gateway(), { excludeTestServices: true })("flow-gateway test", (it) => {
  it.effect("prints what fails and where, and fails then", () =>
    Effect.gen(function* () {
      const { url } = yield* TestGateway
      const folder = yield* temporaryFolder
      const path = (name: string, text: string) => {
        writeFileSync(join(folder, name), text)
        return join(folder, name)
      }
      const good = path("good.yaml", flowline(passing))
      const bad = path("bad.yaml", flowline(failing))
      const broken = path("broken.yaml", flowline(passing).replace("status >= 500", "status >= ("))
      const run = (...files: ReadonlyArray<string>) =>
        Effect.promise(async () => {
          const { exit, lines } = runFile(new URL(program("command")), ["test", "--url", url, ...files])
          return { code: (await exit).code, text: lines.join("\n") }
        })
      const passed = yield* run(good)
      expect(passed.code).toBe(0)
      expect(passed.text).toContain(`pass  ${good}: keeps failures`)
      expect(passed.text).toContain("2 of 2 tests pass")
      const failed = yield* run(good, bad, broken)
      expect(failed.code).toBe(1)
      expect(failed.text).toContain(`FAIL  ${bad}: keeps failures`)
      expect(failed.text).toContain(`  ${bad}:27:23: Expected 404, found 503\n    - 404\n    + 503`)
      expect(failed.text).toContain(`  ${broken}:14:35: `)
      const away = yield* run(join(folder, "nothing.yaml"))
      expect(away.code).toBe(1)
    })
  )
})

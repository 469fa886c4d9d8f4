import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { onBoth } from "../support/gateway.ts"
import { recordsOf, refused, save, tryOut } from "./trying.ts"

/** Keeps the records from a status on; the parameters and the tests are given. */
const flowline = (parameters: string, tests = "") => `runtime: stream
parameters: ${parameters}
dag:
  - type: file_input
    component: access
    settings: { path: nowhere/access.log, format: ndjson }
    publish: [{ stream: lines }]
  - type: filter
    component: failed
    settings: { where: "status >= ${"$"}{param:least}" }
    subscribe: [{ component: access, stream: lines }]
    publish: [{ stream: kept }]
  - { type: show, subscribe: [{ component: failed, stream: kept }] }
${tests}`

const required = "{ least: { type: integer, required: true } }"
const usual = "{ least: { type: integer, default: 500 } }"
const records = JSON.stringify([{ status: 404 }, { status: 503 }])

const tests = `tests:
  - name: as usual
    given: { access: [{ status: 404 }, { status: 503 }] }
    expect: [{ at: failed, records: [{ status: 503 }] }]
  - name: more
    parameters: { least: 400 }
    given: { access: [{ status: 404 }, { status: 503 }] }
    expect: [{ at: failed, records: [{ status: 404 }, { status: 503 }] }]
  - name: more of it
    parameters: { least: 400 }
    given: { access: [{ status: 399 }] }
    expect: [{ at: failed, count: 0 }]
`

onBoth("tries with parameters", (it) => {
  it.effect("run with the values that the form gives, as an execution would", () =>
    Effect.gen(function* () {
      const kept = (parameters: string, given?: string) =>
        Effect.map(tryOut(flowline(parameters), { records, ...(given && { parameters: given }) }), (answer) =>
          recordsOf(answer, "failed")
        )
      expect(yield* kept(usual)).toEqual([[{ status: 503 }]])
      expect(yield* kept(usual, '{"least":400}')).toEqual([[{ status: 404 }, { status: 503 }]])
      expect(yield* kept(required, '{"least":504}')).toEqual([[]])
    })
  )

  it.effect("are refused without a required value, and with wrong ones", () =>
    Effect.gen(function* () {
      const issues = (parts: Record<string, string>) =>
        Effect.map(refused(400, flowline(required), { records, ...parts }), (problem) => problem)
      expect(yield* issues({})).toMatchObject({
        issues: [{ part: "parameters", pointer: "/least", detail: 'The parameter "least" is required' }]
      })
      expect(yield* issues({ parameters: '{"lest":1}' })).toMatchObject({
        issues: [
          { part: "parameters", pointer: "/lest" },
          { part: "parameters", pointer: "/least" }
        ]
      })
      expect(yield* issues({ parameters: "[]" })).toMatchObject({ issues: [{ part: "parameters" }] })
    })
  )

  it.effect("run each test with its own values, or with the defaults", () =>
    Effect.gen(function* () {
      const tried = yield* tryOut(flowline(usual, tests), { records, parameters: '{"least":600}' })
      expect(recordsOf(tried, "failed")).toEqual([[]])
      expect(tried.tests?.map(({ name, passed }) => [name, passed])).toEqual([
        ["as usual", true],
        ["more", true],
        ["more of it", true]
      ])
      const wrong = yield* tryOut(flowline(usual, tests.replace("count: 0", "count: 1")), { records })
      expect(wrong.tests?.map(({ passed }) => passed)).toEqual([true, true, false])
      expect((yield* save(flowline(usual, tests), "?test=true")).status).toBe(200)
      const failing = yield* save(flowline(usual, tests.replace("{ least: 400 }", "{ least: 405 }")), "?test=true")
      expect([failing.status, failing.body]).toMatchObject([
        400,
        {
          issues: [
            { pointer: "/tests/1/expect/0/records/0/status", line: 21, detail: expect.stringContaining("found 503") },
            { pointer: "/tests/1/expect/0/records/1", line: 21, detail: expect.stringContaining("found nothing") }
          ]
        }
      ])
    })
  )

  it.effect("refuse at a save what a test cannot give", () =>
    Effect.gen(function* () {
      const { status, body } = yield* save(flowline(required, tests.replaceAll("{ least: 400 }", "{ lest: many }")))
      expect(status).toBe(400)
      expect(body["issues"]).toMatchObject([
        { pointer: "/tests/0/parameters/least", detail: 'The parameter "least" is required', line: 15 },
        { pointer: "/tests/1/parameters/least", detail: 'The parameter "least" is required', line: 19 },
        { pointer: "/tests/1/parameters/lest", line: 19, detail: expect.stringContaining('did you mean "least"?') },
        { pointer: "/tests/2/parameters/least", detail: 'The parameter "least" is required' },
        { pointer: "/tests/2/parameters/lest" }
      ])
      const many = Array.from(
        { length: 9 },
        (_, index) =>
          `  - { name: t${index}, parameters: { least: ${index} }, given: {}, expect: [{ at: failed, count: 0 }] }`
      )
      const tooMany = yield* save(flowline(usual, `tests:\n${many.join("\n")}\n`))
      expect([tooMany.status, tooMany.body["issues"]]).toMatchObject([
        400,
        [{ pointer: "/tests/8/parameters", line: 23, detail: expect.stringContaining("at most 8") }]
      ])
    })
  )
})

import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { expect, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { ended, exampleConf, flowlineForm, gateway, memoryGateway, raw, TestGateway } from "../support/gateway.ts"

const tenant = "mytenant"

/** A flowline that parses one message and shows the result. */
const parser = (pattern: string, message: string, type = "grok"): string => {
  const settings =
    type === "grok" ? { patterns: [pattern] } : { code: `return grok(${JSON.stringify(pattern)}, event.message)` }
  return JSON.stringify({
    version: "1.0",
    type: "flowline",
    runtime: "stream",
    dag: [
      { type: "generator_input", settings: { messages: [message], count: 1 }, publish: [{ stream: "a" }] },
      { type, settings, subscribe: [{ component: "generator_input", stream: "a" }], publish: [{ stream: "b" }] },
      { type: "show", subscribe: [{ component: type, stream: "b" }] }
    ]
  })
}

/** What the gateway answers, as far as these tests look at it. */
interface Answer {
  readonly id: string
  readonly status: number
  readonly detail: string
  readonly source?: string
  readonly issues: ReadonlyArray<{ readonly pointer: string; readonly detail: string }>
  readonly results: ReadonlyArray<{ readonly output?: unknown; readonly failure?: unknown }>
}

const json = (path: string, init: RequestInit = {}) =>
  Effect.flatMap(raw(path, init), (response) =>
    Effect.map(
      Effect.promise(() => response.text()),
      (text) => {
        const body: Answer = JSON.parse(text)
        return { status: response.status, body }
      }
    )
  )

const formOf = (parts: Record<string, string | Blob>): FormData => {
  const form = new FormData()
  for (const [name, value] of Object.entries(parts))
    typeof value === "string" ? form.append(name, value) : form.append(name, value, name)
  return form
}

/** The first output of an operator test with its hints, or the problem. */
const tried = Effect.fnUntraced(function* (operator: string, parts: Record<string, string>, query = "") {
  const { status, body } = yield* json(`/v1/flower/${operator}${query}`, { method: "POST", body: formOf(parts) })
  const answer: Partial<Answer> & { readonly output?: unknown } =
    status === 200 ? { output: body.results[0]?.output } : body
  return answer
})

const saved = (flowline: string) =>
  json(`/v1/${tenant}/flowline/save`, { method: "POST", body: flowlineForm(flowline, "a.json") })

/** What a flowline printed. */
const ran = Effect.fnUntraced(function* (flowline: string) {
  const { client } = yield* TestGateway
  const { body } = yield* saved(flowline)
  const { id } = (yield* json(`/v1/${tenant}/flowline/${body.id}`, { method: "POST" })).body
  const { state } = yield* ended(tenant, body.id, id)
  const { lines } = yield* client.executions.output({ params: { tenant, id }, query: {} })
  return { state, events: lines.map(({ text }) => JSON.parse(text)) }
})

const patternsOn = (name: string, build: (given: { conf: string }) => Layer.Layer<TestGateway>) => {
  const conf = mkdtempSync(join(tmpdir(), "flow-patterns-"))
  cpSync(exampleConf, conf, { recursive: true })
  const write = (file: string, text: string | Uint8Array) => {
    const path = join(conf, "tenants", tenant, "patterns", file)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text)
  }
  const remove = (file: string) => rmSync(join(conf, "tenants", tenant, "patterns", file), { recursive: true })
  const cleaned = Layer.effectDiscard(
    Effect.acquireRelease(Effect.void, () => Effect.sync(() => rmSync(conf, { recursive: true, force: true })))
  )
  const suite = layer(build({ conf }).pipe(Layer.provideMerge(cleaned)), { excludeTestServices: true })

  suite(`patterns of a tenant ${name}`, (it) => {
    it.effect("are known to tests, to the validation and to runs", () =>
      Effect.gen(function* () {
        const order = { input: "ORD-104233", pattern: "^%{ORDER_ID:id}$" }
        expect(yield* tried("grok", order)).toEqual({ output: { id: "ORD-104233" } })
        const program = { input: "ORD-104233", logFile: "return grok('%{ORDER_ID:id}', event.message)" }
        expect(yield* tried("flowlet", program)).toEqual({ output: { id: "ORD-104233" } })
        const events = [{ message: "ORD-104233", id: "ORD-104233" }]
        expect(yield* ran(parser(order.pattern, order.input))).toEqual({ state: "SUCCEEDED", events })
        const shown = [{ id: "ORD-104233" }]
        expect(yield* ran(parser(order.pattern, order.input, "flowlet"))).toEqual({ state: "SUCCEEDED", events: shown })
      })
    )

    it.effect("are those of the tenant that the request names", () =>
      Effect.gen(function* () {
        const sensor = { input: "lab-001 3.5 C", pattern: "%{SENSOR_LINE}" }
        expect(yield* tried("grok", sensor)).toMatchObject({ status: 500, detail: 'unknown pattern "SENSOR_LINE"' })
        expect(yield* tried("grok", sensor, "?tenant=othertenant")).toMatchObject({ output: { value: 3.5 } })
        expect(yield* tried("grok", sensor, "?tenant=nobody")).toMatchObject({ status: 404, kind: "tenant" })
        expect(yield* tried("grok", sensor, "?tenant=../x")).toMatchObject({ status: 400 })
        expect((yield* saved(parser(sensor.pattern, sensor.input))).body).toMatchObject({
          status: 400,
          issues: [{ pointer: "/dag/1/settings/patterns/0", detail: 'unknown pattern "SENSOR_LINE"' }]
        })
      })
    )

    it.effect("replace built-in ones, and are replaced by those of the test and the node", () =>
      Effect.gen(function* () {
        write("z", "WORD [0-9]+")
        expect(yield* tried("grok", { input: "ab 12", pattern: "%{WORD:w}" })).toEqual({ output: { w: "12" } })
        const own = { input: "ab 12", pattern: "%{WORD:w}", definitions: "WORD b" }
        expect(yield* tried("grok", own)).toEqual({ output: { w: "b" } })
        // Also where a built-in pattern refers to it: PROG of the legacy bank does not, SYSLOGFACILITY neither.
        write("zz", "USERNAME [0-9]+")
        expect(yield* tried("grok", { input: "ab 12", pattern: "%{USER:u}" })).toEqual({ output: { u: "12" } })
        remove("z")
        remove("zz")
        expect(yield* tried("grok", { input: "ab 12", pattern: "%{WORD:w} " })).toEqual({ output: { w: "ab" } })
      })
    )

    it.effect("are seen as they are now, also after a change of the same size", () =>
      Effect.gen(function* () {
        const asked = tried("grok", { input: "a1", pattern: "%{MINE:x}" })
        for (const text of ["a", "1", "a"]) {
          write("mine", `MINE ${text}`)
          expect(yield* asked).toEqual({ output: { x: text } })
        }
        remove("mine")
        expect(yield* asked).toMatchObject({ status: 500, detail: 'unknown pattern "MINE"' })
      })
    )

    it.effect("harm nothing while they are broken and unused; used, they name file, line and column", () =>
      Effect.gen(function* () {
        write("bad", "# a comment\nGOOD [a-z]+\n  BROKEN x%{NOSUCH}\nEMPTY\nno-name x\nOPEN (a\nLOOP %{LOOP}\n")
        write("latin", new Uint8Array([0x4c, 0x20, 0xe9]))
        write("folder/inner", "INNER x")
        write(".hidden", "HIDDEN x")
        write("bad~", "GOOD [0-9]+")
        expect(yield* tried("grok", { input: "ab", pattern: "%{GOOD:w}" })).toEqual({ output: { w: "ab" } })
        const faults = [
          ["BROKEN", 'unknown pattern "NOSUCH"', 3, 11],
          ["EMPTY", 'definition of "EMPTY" has no regular expression', 4, 1],
          ["OPEN", "unclosed group", 6, 6],
          ["LOOP", "circular reference LOOP->LOOP", 7, 6]
        ] as const
        for (const [used, detail, line, column] of faults) {
          const place = { source: "patterns/bad", line, column }
          const problem = yield* tried("grok", { input: "ab", pattern: `x%{${used}}` })
          expect(problem).toMatchObject({ status: 500, part: "pattern", ...place })
          expect(problem.detail).toContain(detail)
          const { issues } = (yield* saved(parser(`x%{${used}}`, "ab"))).body
          expect(issues).toEqual([expect.objectContaining({ pointer: "/dag/1/settings/patterns/0" })])
          expect(issues[0]?.detail).toMatch(new RegExp(`at ${line}:${column} of patterns/bad$`))
        }
        const program = { input: "a", logFile: "grok('%{EMPTY}', '')" }
        expect((yield* json("/v1/flower/flowlet", { method: "POST", body: formOf(program) })).body).toMatchObject({
          results: [{ failure: { reason: "script", message: expect.stringContaining("at 4:1 of patterns/bad") } }]
        })
        const missing = yield* tried("grok", { input: "ab", pattern: "%{INNER} %{HIDDEN}" })
        expect(missing.detail).toBe(
          'unknown pattern "INNER" (it may be in what was left out: patterns/latin: it is not UTF-8)'
        )
        for (const file of ["bad", "latin", "folder", ".hidden", "bad~"]) remove(file)
      })
    )

    it.effect("do not lead out of the tenant's folder", () =>
      Effect.gen(function* () {
        const outside = join(conf, "outside")
        writeFileSync(outside, "SECRET [a-z]+")
        symlinkSync(outside, join(conf, "tenants", tenant, "patterns", "link"))
        const other = join(conf, "tenants", "othertenant", "patterns", "custom")
        symlinkSync(other, join(conf, "tenants", tenant, "patterns", "other"))
        for (const used of ["SECRET", "SENSOR_ID"]) {
          const { detail } = yield* tried("grok", { input: "abc-001", pattern: `%{${used}:x}` })
          expect(detail).toBe(`unknown pattern "${used}"`)
        }
        remove("link")
        remove("other")
      })
    )

    it.effect("are bounded: the last files count", () =>
      Effect.gen(function* () {
        for (let index = 100; index < 170; index++) write(`many-${index}`, `MANY_${index} x`)
        const used = (pattern: string) => tried("grok", { input: "x", pattern: `%{${pattern}:x}` })
        expect(yield* used("MANY_169")).toEqual({ output: { x: "x" } })
        expect((yield* used("MANY_100")).detail).toMatch(/left out: .*patterns\/many-100: there are more than 64 files/)
        for (let index = 100; index < 170; index++) remove(`many-${index}`)
        write("x-names", Array.from({ length: 9_999 }, (_, index) => `N${index} x`).join("\n"))
        write("y-long", `LONG ${"x".repeat(1024 * 1024)}`)
        expect(yield* used("N9998")).toEqual({ output: { x: "x" } })
        expect((yield* used("LONG")).detail).toContain("patterns/y-long: it is larger than 1048576 bytes")
        expect((yield* used("ORDER_ID")).detail).toContain(
          "patterns/custom: the tenant's patterns are more than 10000 names"
        )
        expect(yield* ran(parser("%{N9998:x}", "x"))).toMatchObject({ state: "SUCCEEDED", events: [{ x: "x" }] })
        remove("x-names")
        remove("y-long")
      })
    )

    it.effect("come from artifacts too, under those of the files", () =>
      Effect.gen(function* () {
        const upload = (version: string, build: string | Uint8Array<ArrayBuffer>, type = "GROK_PATTERNS") => {
          const manifest = JSON.stringify({ group: "com.example", artifact: "grok", version, type })
          const body = formOf({ input: new Blob([build]), manifest: new Blob([manifest]) })
          return json(`/v1/${tenant}/resources/upload`, { method: "PUT", body })
        }
        const used = (pattern: string) => tried("grok", { input: "a1", pattern: `%{${pattern}:x}` })
        expect((yield* upload("1.0.0", "SHARED a\nORDER_ID a1")).status).toBe(201)
        expect(yield* used("SHARED")).toEqual({ output: { x: "a" } })
        expect(yield* ran(parser("%{SHARED:x}", "a1"))).toMatchObject({ state: "SUCCEEDED", events: [{ x: "a" }] })
        expect((yield* used("ORDER_ID")).output).toBe(undefined)
        expect((yield* upload("1.1.0", "SHARED 1%{NOSUCH}")).status).toBe(201)
        expect(yield* used("SHARED")).toMatchObject({ source: "com.example:grok:1.1.0", line: 1, column: 9 })
        expect((yield* upload("1.2.0", new Uint8Array([0xff]))).status).toBe(201)
        expect((yield* used("SHARED")).detail).toContain("com.example:grok:1.2.0: it is not UTF-8")
        expect(yield* tried("grok", { input: "a", pattern: "%{SHARED}" }, "?tenant=othertenant")).toMatchObject({
          detail: 'unknown pattern "SHARED"'
        })
        yield* raw(`/v1/${tenant}/resources/com.example/grok`, { method: "DELETE" })
      })
    )
  })
}

patternsOn("in memory", memoryGateway)
patternsOn("on PostgreSQL, disk and processes", gateway)

import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { configuration } from "../support/conf.ts"
import { ended, flowlineForm, gateway, onBoth, raw, TestGateway } from "../support/gateway.ts"
import { until } from "../support/process.ts"

const tenant = "mytenant"

const greeting = `
runtime: stream
parameters:
  word: { type: string, pattern: "^[a-z]+$", description: What is said }
  count: { type: integer, min: 1, max: 100, default: 1 }
  level: { type: enum, values: [low, high], default: low }
  pause: { type: duration, required: false }
dag:
  - type: generator_input
    settings: { messages: ["\${param:word} \${param:level}"], count: "\${param:count}" }
    publish: [ { stream: out } ]
  - { type: show, subscribe: [ { component: generator_input, stream: out } ] }
`

const save = (text: string) =>
  Effect.flatMap(TestGateway, ({ client }) =>
    client.flowlines.save({ params: { tenant }, query: {}, payload: flowlineForm(text) })
  )

const outputOf = (id: string) =>
  Effect.gen(function* () {
    const { client } = yield* TestGateway
    const { lines } = yield* client.executions.output({ params: { tenant, id }, query: {} })
    return lines.map(({ text }) => text)
  })

const post = (path: string, body?: FormData | string, headers: Record<string, string> = {}) =>
  Effect.flatMap(
    raw(`/v1/${tenant}/${path}`, { method: "POST", headers, ...(body === undefined ? {} : { body }) }),
    (response) =>
      Effect.promise(async () => ({
        status: response.status,
        body: (await response.json()) as {
          readonly id?: string
          readonly issues?: ReadonlyArray<{
            readonly part?: string
            readonly pointer?: string
            readonly detail: string
          }>
        }
      }))
  )

const json = (value: unknown) => [JSON.stringify(value), { "content-type": "application/json" }] as const

onBoth("parameters of executions", (it) => {
  it.effect("are given in a body, and kept with the execution", () =>
    Effect.gen(function* () {
      const { client } = yield* TestGateway
      const { id: flowlineId } = yield* save(greeting)
      const { id } = yield* client.flowlines.execute({
        params: { tenant, id: flowlineId },
        query: {},
        payload: { parameters: { word: "hello", count: 2 } }
      })
      const detail = yield* ended(tenant, flowlineId, id)
      expect(detail).toMatchObject({
        state: "SUCCEEDED",
        parameters: { word: "hello", count: 2, level: "low" },
        variables: {}
      })
      expect(yield* outputOf(id)).toEqual(['{"message":"hello low"}', '{"message":"hello low"}'])
      const [listed] = yield* client.executions.listOf({ params: { tenant, id: flowlineId }, query: {} })
      expect(listed).toMatchObject({ id, flowlineId, state: "SUCCEEDED", parameters: { word: "hello", count: 2 } })
    })
  )

  it.effect("are given in a part of the form of a file that is run once", () =>
    Effect.gen(function* () {
      const form = flowlineForm(greeting)
      form.set("parameters", new Blob([JSON.stringify({ word: "once", level: "high" })]))
      const { status, body } = yield* post("flowline", form)
      expect(status).toBe(200)
      const id = body.id!
      yield* ended(tenant, id.slice(0, 20), id)
      expect(yield* outputOf(id)).toEqual(['{"message":"once high"}'])
      const wrong = flowlineForm(greeting)
      wrong.set("parameters", '{"wrod": "x"}')
      expect(yield* post("flowline", wrong)).toMatchObject({
        status: 400,
        body: {
          issues: [
            { part: "parameters", pointer: "/wrod", detail: 'There is no parameter "wrod"; did you mean "word"?' },
            { part: "parameters", pointer: "/word", detail: 'The parameter "word" is required' }
          ]
        }
      })
      const list = flowlineForm(greeting)
      list.set("parameters", "[1]")
      expect(yield* post("flowline", list)).toMatchObject({
        status: 400,
        body: { issues: [{ part: "parameters", detail: "Expected a JSON object" }] }
      })
    })
  )

  it.effect("are given in a part of a form for a saved flowline", () =>
    Effect.gen(function* () {
      const { id: flowlineId } = yield* save(greeting)
      const form = (parameters: string) => {
        const data = new FormData()
        data.set("parameters", parameters)
        return data
      }
      const { status, body } = yield* post(`flowline/${flowlineId}`, form('{"word": "form"}'))
      expect(status).toBe(200)
      expect(yield* ended(tenant, flowlineId, body.id!)).toMatchObject({ parameters: { word: "form", count: 1 } })
      expect(yield* post(`flowline/${flowlineId}`, form('{"wrod": "form", "word": "a"}'))).toMatchObject({
        status: 400,
        body: { issues: [{ part: "parameters", pointer: "/wrod" }] }
      })
    })
  )

  it.effect("that are wrong, missing or unknown are refused, each by its name", () =>
    Effect.gen(function* () {
      const { id } = yield* save(greeting)
      const path = `flowline/${id}`
      const refusal = { count: 101, level: "hgih", cuont: 1, word: "HELLO" }
      expect(yield* post(path, ...json({ parameters: refusal }))).toMatchObject({
        status: 400,
        body: {
          issues: [
            {
              part: "body",
              pointer: "/parameters/cuont",
              detail: 'There is no parameter "cuont"; did you mean "count"?'
            },
            { part: "body", pointer: "/parameters/count", detail: "Expected a whole number from 1 to 100, found 101" },
            { part: "body", pointer: "/parameters/level", detail: 'Expected one of "low", "high", found "hgih"' },
            {
              part: "body",
              pointer: "/parameters/word",
              detail: 'Expected a text that matches ^[a-z]+$, found "HELLO"'
            }
          ]
        }
      })
      const missing = [{ part: "body", pointer: "/parameters/word", detail: 'The parameter "word" is required' }]
      expect((yield* post(path)).body.issues).toEqual(missing)
      expect((yield* post(path, ...json(null))).body.issues).toEqual(missing)
      expect((yield* post(path, ...json({ parameter: {} }))).body.issues).toEqual([
        { part: "body", pointer: "/parameter", detail: 'There is no "parameter" here; did you mean "parameters"?' }
      ])
      expect(yield* post(path, ...json([1]))).toMatchObject({ status: 400 })
      expect(yield* post(path, "word=hello", { "content-type": "text/plain" })).toMatchObject({ status: 415 })
      expect(yield* post(path, ...json({ parameters: { word: "a".repeat(70_000) } }))).toMatchObject({ status: 413 })
    })
  )

  it.effect("are described by a schema in the flowline's answer", () =>
    Effect.gen(function* () {
      const { client } = yield* TestGateway
      const { id } = yield* save(greeting)
      const { parameters } = yield* client.flowlines.get({ params: { tenant, id }, query: {} })
      expect(parameters).toEqual({
        $schema: "https://json-schema.org/draft/2020-12/schema",
        type: "object",
        properties: {
          word: { type: "string", description: "What is said", maxLength: 16384, pattern: "^[a-z]+$" },
          count: { type: "integer", minimum: 1, maximum: 100, default: 1 },
          level: { type: "string", enum: ["low", "high"], default: "low" },
          pause: { type: "string", pattern: "^\\d{1,6}(ms|s|m|h)$" }
        },
        required: ["word"],
        additionalProperties: false
      })
    })
  )

  it.effect("are part of what an idempotency key stands for", () =>
    Effect.gen(function* () {
      const { id } = yield* save(greeting)
      const key = { "idempotency-key": `parameters-${id}`, "content-type": "application/json" }
      const body = (word: string) => JSON.stringify({ parameters: { word } })
      const first = yield* post(`flowline/${id}`, body("one"), key)
      expect(yield* post(`flowline/${id}`, body("one"), key)).toEqual(first)
      expect(yield* post(`flowline/${id}`, body("two"), key)).toMatchObject({ status: 422 })
    })
  )
})

layer(
  Layer.unwrap(
    Effect.map(configuration, ({ root, folderOf }) => {
      const folder = folderOf(tenant)
      mkdirSync(join(folder, "channels/greet"), { recursive: true })
      writeFileSync(
        join(folder, "variables.yml"),
        `variables: { place: test, words: [one, two] }
environments:
  production: { place: Brno }
`
      )
      const job = (name: string, word: string) =>
        `  - { name: ${name}, runtime: stream, flowline: greet.yaml, parameters: { ${word} } }\n`
      writeFileSync(
        join(folder, "channels/greet/channel_structure.yaml"),
        `jobs:\n${job("good", "word: hello, count: 2")}`
      )
      mkdirSync(join(folder, "channels/wrong"), { recursive: true })
      writeFileSync(join(folder, "channels/wrong/channel_structure.yaml"), `jobs:\n${job("bad", "wrod: hello")}`)
      for (const channel of ["greet", "wrong"]) writeFileSync(join(folder, `channels/${channel}/greet.yaml`), greeting)
      return gateway({ conf: root, environment: "production" })
    })
  ),
  { excludeTestServices: true }
)("variables of a tenant", (it) => {
  const text = `
runtime: stream
parameters: { word: { type: string, default: hi } }
dag:
  - { type: generator_input, settings: { messages: "\${var:words}", count: 2 }, publish: [ { stream: out } ] }
  - type: flowlet
    settings: { code: "event.where = '\${param:word} \${var:place}'" }
    subscribe: [ { component: generator_input, stream: out } ]
    publish: [ { stream: out } ]
  - { type: show, subscribe: [ { component: flowlet, stream: out } ] }
`

  it.effect("are those of the chosen environment, and kept with the execution", () =>
    Effect.gen(function* () {
      const { client } = yield* TestGateway
      const saved = yield* save(text)
      expect(saved.warnings).toBeUndefined()
      const { id } = yield* client.flowlines.execute({ params: { tenant, id: saved.id }, query: {} })
      const detail = yield* ended(tenant, saved.id, id)
      expect(detail).toMatchObject({
        state: "SUCCEEDED",
        parameters: { word: "hi" },
        variables: { words: ["one", "two"], place: "Brno" },
        environment: "production"
      })
      expect(yield* outputOf(id)).toEqual([
        '{"message":"one","where":"hi Brno"}',
        '{"message":"two","where":"hi Brno"}'
      ])
    })
  )

  it.effect("that do not exist warn at the save and refuse the execution", () =>
    Effect.gen(function* () {
      const saved = yield* save(text.replace("var:place", "var:palce"))
      const lack = 'there is no variable "palce" in the environment production; did you mean "place"?'
      expect(saved.warnings).toEqual([`flowlet: ${lack} Runs fail without it`])
      expect(yield* post(`flowline/${saved.id}`)).toMatchObject({
        status: 400,
        body: { issues: [{ pointer: "/dag/1/settings/code", detail: lack.replace("there", "There") }] }
      })
    })
  )

  it.effect("and parameters are given to jobs by their channel", () =>
    Effect.gen(function* () {
      const { client } = yield* TestGateway
      const channel = (name: string) => ({ params: { tenant, channel: name } })
      const start = (name: string) => raw(`/v1/${tenant}/channels/${name}/start`, { method: "POST" })
      expect((yield* start("greet")).status).toBe(201)
      const { jobs } = yield* until(client.channels.status(channel("greet")), ({ status }) => status === "FINISHED")
      expect(jobs[0]).toMatchObject({
        parameters: { word: "hello", count: 2 },
        outcome: "ok",
        counts: { read: 2, written: 2, rejected: 0, dropped: 0 }
      })
      const { lines } = yield* client.channels.output({
        params: { tenant, channel: "greet", cluster: "local", job: "good" },
        query: {}
      })
      expect(lines.map((line) => line.text)).toEqual(['{"message":"hello low"}', '{"message":"hello low"}'])
      const refused = yield* start("wrong")
      expect(refused.status).toBe(422)
      expect(yield* Effect.promise(() => refused.text())).toContain('no parameter \\"wrod\\"; did you mean \\"word\\"?')
    })
  )
})

import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { ended, flowlineForm, onBoth, raw, TestGateway } from "../support/gateway.ts"
import { unzip } from "../support/zip.ts"

const tenant = "mytenant"

const generator = (count: number, rate = 1000) => `
runtime: stream
dag:
  - type: generator_input
    settings: { messages: [one, two, three], count: ${count}, rate: ${rate} }
    publish: [ { stream: out } ]
  - type: show
    subscribe: [ { component: generator_input, stream: out } ]
`
const forever = generator(1, 5).replace("count: 1, ", "")

const save = (text: string) =>
  Effect.flatMap(TestGateway, ({ client }) =>
    client.flowlines.save({ params: { tenant }, query: {}, payload: flowlineForm(text) })
  )

/** Saves and executes; returns both ids. */
const execute = Effect.fnUntraced(function* (text: string) {
  const { client } = yield* TestGateway
  const flowline = yield* save(text)
  const { id } = yield* client.flowlines.execute({ params: { tenant, id: flowline.id }, query: {} })
  return { flowlineId: flowline.id, id }
})

const outputPath = (id: string) => `/v1/${tenant}/flowline/executions/${id}/output`

onBoth("executions", (it) => {
  it.effect("run a saved flowline and tell what became of it", () =>
    Effect.gen(function* () {
      const { client } = yield* TestGateway
      const { flowlineId, id } = yield* execute(generator(3))
      expect(id).toMatch(new RegExp(`^${flowlineId}-\\d{13}$`))
      const detail = yield* ended(tenant, flowlineId, id)
      expect(detail).toMatchObject({
        ...{ id, tenant, flowlineId, version: 1, runtime: "stream", state: "SUCCEEDED", error: null, archive: null },
        event: "stream.application.end",
        nodes: [
          { component: "generator_input", recordsIn: 0, recordsOut: 3, errors: 0 },
          { component: "show", recordsIn: 3, recordsOut: 0, errors: 0 }
        ]
      })
      expect(detail.duration).toBe(Date.parse(detail.endedAt!) - Date.parse(detail.startedAt!))
      expect(detail.timestamp).toBe(detail.endedAt)
      const events = yield* client.executions.events({ params: { tenant, id }, query: {} })
      expect(events).toEqual(detail.events)
      expect(events.map(({ event, seq }) => [event, seq])).toEqual([
        ["stream.application.end", 2],
        ["stream.application.start", 1]
      ])
      const own = yield* client.executions.listOf({ params: { tenant, id: flowlineId }, query: {} })
      expect(own.map((execution) => execution.id)).toEqual([id])
      expect((yield* client.executions.list({ params: { tenant }, query: {} })).map((e) => e.id)).toContain(id)
    })
  )

  it.effect("give their output as JSON, text, lines, and from a line on, and nothing to others", () =>
    Effect.gen(function* () {
      const { client } = yield* TestGateway
      const { flowlineId, id } = yield* execute(generator(4))
      yield* ended(tenant, flowlineId, id)
      const output = yield* client.executions.output({ params: { tenant, id }, query: {} })
      const texts = ["one", "two", "three", "one"].map((word) => `{"message":"${word}"}`)
      expect(output).toMatchObject({ id, state: "SUCCEEDED", truncated: false })
      expect(output.lines.map((line) => [line.seq, line.component, line.text])).toEqual(
        texts.map((text, index) => [index + 1, "show", text])
      )
      const as = (accept: string) => raw(outputPath(id), { headers: { accept } })
      const plain = yield* as("text/plain")
      expect(plain.headers.get("content-type")).toBe("text/plain; charset=utf-8")
      expect(yield* Effect.promise(() => plain.text())).toBe(texts.map((text) => `${text}\n`).join(""))
      const ndjson = yield* Effect.flatMap(as("application/x-ndjson"), (r) => Effect.promise(() => r.text()))
      expect(
        ndjson
          .trimEnd()
          .split("\n")
          .map((line) => JSON.parse(line))
      ).toEqual(output.lines)
      const rest = yield* client.executions.output({ params: { tenant, id }, query: { from: 3 } })
      expect(rest.lines).toEqual(output.lines.slice(3))
      const missing = (params: {
        readonly tenant: string
        readonly flowlineId: string
        readonly executionId: string
      }) => Effect.flip(client.executions.detail({ params }))
      expect(yield* missing({ tenant: "othertenant", flowlineId, executionId: id })).toMatchObject({ status: 404 })
      expect(yield* missing({ tenant, flowlineId: "another", executionId: id })).toMatchObject({ kind: "execution" })
      for (const path of ["events", "output"]) {
        expect((yield* raw(`/v1/othertenant/flowline/executions/${id}/${path}`)).status).toBe(404)
        expect((yield* raw(`/v1/${tenant}/flowline/executions/none-1/${path}`)).status).toBe(404)
      }
      expect((yield* raw(`/v1/${tenant}/flowline/executions/nothing`)).status).toBe(404)
      expect(yield* client.executions.list({ params: { tenant: "othertenant" }, query: {} })).toEqual([])
    })
  )

  it.effect("are followed live, lines and events, and on from what was seen last", () =>
    Effect.gen(function* () {
      const { flowlineId, id } = yield* execute(generator(12, 40))
      const path = outputPath(id).replace(/output$/, "events")
      const following = (path: string, headers: Readonly<Record<string, string>> = {}) =>
        Effect.gen(function* () {
          const response = yield* raw(path, { headers: { accept: "text/event-stream", ...headers } })
          expect(response.headers.get("content-type")).toBe("text/event-stream")
          return yield* Effect.promise(() => response.text())
        })
      const idsOf = (text: string) => [...text.matchAll(/^id: (\d+)$/gm)].map((match) => Number(match[1]))
      const [text, told] = yield* Effect.all([following(outputPath(id)), following(path)], { concurrency: 2 })
      expect(idsOf(text)).toEqual(Array.from({ length: 12 }, (_, index) => index + 1))
      expect(text.endsWith('event: end\ndata: {"state":"SUCCEEDED","truncated":false}\n\n')).toBe(true)
      const events = [...told.matchAll(/^id: (\d+)\ndata: (.*)$/gm)].map(([, seq, json]) => [
        Number(seq),
        JSON.parse(json!).event
      ])
      expect(events).toEqual([
        [1, "stream.application.start"],
        [2, "stream.application.end"]
      ])
      expect(told).toMatch(/event: end\ndata: .*SUCCEEDED.*\n\n$/)
      yield* ended(tenant, flowlineId, id)
      expect(idsOf(yield* following(outputPath(id), { "last-event-id": "10" }))).toEqual([11, 12])
      for (const rest of [yield* following(path, { "last-event-id": "1" }), yield* following(`${path}?from=1`)])
        expect(idsOf(rest)).toEqual([2])
      expect((yield* raw(path.replace(id, "none"), { headers: { accept: "text/event-stream" } })).status).toBe(404)
    })
  )

  it.effect("make an archive with one JSON object for each line of the log", () =>
    Effect.gen(function* () {
      const { client, url } = yield* TestGateway
      const { flowlineId, id } = yield* execute(`
runtime: stream
dag:
  - type: file_input
    settings: { path: samples/access-small.log }
    publish: [ { stream: lines } ]
  - type: grok
    settings: { patterns: [ "%{COMBINEDAPACHELOG}" ] }
    subscribe: [ { component: file_input, stream: lines } ]
    publish: [ { stream: parsed } ]
  - type: archive_output
    settings: { entry: access.ndjson }
    subscribe: [ { component: grok, stream: parsed } ]
`)
      const detail = yield* ended(tenant, flowlineId, id)
      expect(detail).toMatchObject({ state: "SUCCEEDED", archive: id })
      const response = yield* Effect.promise(() => fetch(`${url}/v1/${tenant}/archives/${id}`))
      expect(response.headers.get("content-type")).toBe("application/zip")
      const entries = unzip(Buffer.from(yield* Effect.promise(() => response.arrayBuffer())))
      expect(entries.map((entry) => entry.name)).toEqual(["access.ndjson"])
      const records = entries[0]!.bytes
        .toString()
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line))
      const log = yield* raw(`/v1/${tenant}/conf/samples/access-small.log`)
      const lines = (yield* Effect.promise(() => log.text())).trimEnd().split("\n")
      expect(records.map((record) => record.message)).toEqual(lines)
      expect(records.every((record) => record.clientip !== undefined && record.timestamp !== undefined)).toBe(true)
      expect((yield* client.archives.list({ params: { tenant }, query: {} })).map((a) => a.id)).toContain(id)
    })
  )

  it.effect("run a file once without saving it", () =>
    Effect.gen(function* () {
      const { client } = yield* TestGateway
      const { id } = yield* client.flowlines.executeOnce({ params: { tenant }, payload: flowlineForm(generator(1)) })
      const flowlineId = id.slice(0, 20)
      expect(yield* ended(tenant, flowlineId, id)).toMatchObject({ state: "SUCCEEDED" })
      const saved = yield* client.flowlines.list({ params: { tenant }, query: {} })
      expect(saved.map((flowline) => flowline.id)).not.toContain(flowlineId)
      const read = yield* client.flowlines.get({ params: { tenant, id: flowlineId }, query: {} })
      expect(read).toMatchObject({ id: flowlineId, source: { tenant } })
      const own = yield* client.executions.listOf({ params: { tenant, id: flowlineId }, query: {} })
      expect(own.map((execution) => execution.id)).toEqual([id])
    })
  )

  it.effect("stay when their flowline is deleted while they run, and are cancelled, once", () =>
    Effect.gen(function* () {
      const { client } = yield* TestGateway
      const { flowlineId, id } = yield* execute(forever)
      const params = { tenant, flowlineId, executionId: id }
      yield* client.flowlines.remove({ params: { tenant, id: flowlineId } })
      yield* client.executions.cancel({ params })
      const detail = yield* ended(tenant, flowlineId, id)
      expect(detail).toMatchObject({ state: "CANCELLED", event: "stream.application.cancelled", archive: null })
      const again = yield* Effect.flip(client.executions.cancel({ params }))
      expect(again).toMatchObject({ _tag: "Conflict", status: 409, state: "CANCELLED" })
      const all = yield* client.executions.listOf({ params: { tenant, id: flowlineId }, query: {} })
      expect(all.map((execution) => execution.id)).toEqual([id])
    })
  )

  it.effect("fail with the reason when an input file is missing", () =>
    Effect.gen(function* () {
      const { flowlineId, id } = yield* execute(`
runtime: stream
dag:
  - type: file_input
    component: absent
    settings: { path: samples/no-such.log }
    publish: [ { stream: lines } ]
  - type: show
    subscribe: [ { component: absent, stream: lines } ]
`)
      const detail = yield* ended(tenant, flowlineId, id)
      expect(detail).toMatchObject({ state: "FAILED", event: "stream.application.failed", archive: null })
      expect(detail.error).toMatch(/absent.*no-such\.log/)
      expect(detail.events[0]?.detail).toBe(detail.error)
    })
  )

  it.effect("have ids of their own however many start at once", () =>
    Effect.gen(function* () {
      const { client } = yield* TestGateway
      const { id } = yield* save(generator(1))
      const started = yield* Effect.all(
        Array.from({ length: 2 }, () => client.flowlines.execute({ params: { tenant, id }, query: {} })),
        { concurrency: "unbounded" }
      )
      expect(new Set(started.map((execution) => execution.id)).size).toBe(2)
      for (const execution of started) {
        expect(yield* ended(tenant, id, execution.id)).toMatchObject({ state: "SUCCEEDED" })
      }
    })
  )
})

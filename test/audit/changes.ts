import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import type { AuditEntry } from "../../src/services/audit/Entry.ts"
import { ask, build, form } from "../resources/support.ts"
import { ended, flowlineForm, TestGateway } from "../support/gateway.ts"
import { generator } from "../support/runs.ts"
import { scheduleCalls } from "./schedules.ts"

export const tenant = "mytenant"
const base = `/v1/${tenant}`

const sha256 = (text: string) =>
  Effect.promise(async () =>
    Buffer.from(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text))).toString("hex")
  )

export const rows = (query: { readonly action?: string; readonly outcome?: "failed" } = {}) =>
  Effect.flatMap(TestGateway, ({ client }) => client.audit.list({ params: { tenant }, query }))

/** The rows that a request adds. */
export const added = <A, E, R>(request: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const before = yield* rows()
    const made = yield* request
    return { made, news: (yield* rows()).slice(before.length) }
  })

export const expectOk = ({ status, text }: { readonly status: number; readonly text: string }) =>
  expect([status, text]).toEqual([expect.toSatisfy((status: number) => status < 300), text])

const archived = `
runtime: stream
dag:
  - { type: generator_input, settings: { messages: [a], count: 1 }, publish: [ { stream: out } ] }
  - { type: archive_output, subscribe: [ { component: generator_input, stream: out } ] }
  - type: search_output
    settings: { index: mytenant-audit }
    subscribe: [ { component: generator_input, stream: out } ]
`

const saved = (text = generator(1, 1)) =>
  Effect.flatMap(TestGateway, ({ client }) =>
    client.flowlines.save({ params: { tenant }, query: {}, payload: flowlineForm(text) })
  )

const executed = (text: string) =>
  Effect.gen(function* () {
    const { client } = yield* TestGateway
    const { id } = yield* saved(text)
    const execution = yield* client.flowlines.execute({ params: { tenant, id }, query: {} })
    return { id, execution: execution.id }
  })

const done = (text = generator(1, 1)) => Effect.tap(executed(text), ({ id, execution }) => ended(tenant, id, execution))

export const uploaded = ask(`${base}/resources/upload`, { method: "PUT", body: build({ version: "9" }, "uploaded") })
const put = (path: string, bytes: string) =>
  ask(`${base}/registry`, { method: "POST", body: form({ file: { bytes }, path }) })
const companion = "org/example/tool/build.txt"
const copy = (to: string) =>
  ask(`${base}/resources/copy/${companion}`, { method: "PUT", body: form({ destination: to }) })

interface Called {
  /** Sends the request, which must succeed. */
  readonly call: Effect.Effect<{ readonly status: number; readonly text: string }, unknown, TestGateway>
  readonly row: Partial<Record<keyof AuditEntry, unknown>>
}

type Calls = Readonly<Record<string, Effect.Effect<Called, unknown, TestGateway>>>

export const call = (method: string, path: string, body?: FormData | string) =>
  ask(path.startsWith("/v1/") ? path : `${base}/${path}`, {
    method,
    ...(body === undefined ? {} : { body }),
    ...(typeof body === "string" ? { headers: { "content-type": "application/json" } } : {})
  })

/** The files of a channel. */
const ticks = JSON.stringify({
  files: { "channel_structure.yaml": "jobs: [{ name: tick, runtime: stream }]", "tick.yaml": generator(1, 1) }
})

/** A request to each endpoint that changes something, and the row that it is to write. */
export const calls: Calls = {
  "flowlines.save": Effect.gen(function* () {
    const { client } = yield* TestGateway
    const { id } = yield* saved(generator(1, 1))
    const first = (yield* client.flowlines.get({ params: { tenant, id }, query: {} })).source.dag
    const request = call("POST", `flowline/save?id=${id}`, flowlineForm(generator(2, 1)))
    return {
      call: request,
      row: { target: id, before: yield* sha256(first), after: expect.stringMatching(/^[0-9a-f]{64}$/) }
    }
  }),
  "flowlines.restore": Effect.gen(function* () {
    const { client } = yield* TestGateway
    const { id } = yield* saved(generator(1, 1))
    yield* call("POST", `flowline/save?id=${id}`, flowlineForm(generator(2, 1)))
    const dagOf = (version: number) =>
      Effect.map(client.flowlines.get({ params: { tenant, id }, query: { version } }), ({ source }) => source.dag)
    const row = { target: id, before: yield* sha256(yield* dagOf(2)), after: yield* sha256(yield* dagOf(1)) }
    return { call: call("POST", `flowline/${id}/versions/1/restore`), row }
  }),
  "flowlines.executeOnce": Effect.succeed({
    call: call("POST", "flowline", flowlineForm(generator(1, 1))),
    row: { after: expect.stringMatching(/^[0-9a-f]{64}$/) }
  }),
  "flowlines.execute": Effect.map(saved(), ({ id }) => ({
    call: call("POST", `flowline/${id}`),
    row: { target: expect.stringContaining(id) }
  })),
  "flowlines.remove": Effect.map(saved(), ({ id }) => ({
    call: call("DELETE", `flowline/${id}`),
    row: { target: id, before: expect.stringMatching(/^[0-9a-f]{64}$/), after: null }
  })),
  "executions.cancel": Effect.map(executed(generator(undefined, 5)), ({ id, execution }) => ({
    call: call("DELETE", `flowline/${id}/executions/${execution}`),
    row: { target: execution }
  })),
  "executions.again": Effect.map(done(), ({ id, execution }) => ({
    call: call("POST", `flowline/executions/${execution}/again`),
    row: { target: expect.stringContaining(id), after: expect.stringMatching(/^[0-9a-f]{64}$/) }
  })),
  "executions.remove": Effect.map(done(), ({ execution }) => ({
    call: call("DELETE", `flowline/executions/${execution}`),
    row: { target: execution }
  })),
  "archives.remove": Effect.map(done(archived), ({ execution }) => ({
    call: call("DELETE", `archives/${execution}`),
    row: { target: execution, before: expect.stringMatching(/^[0-9a-f]{64}$/) }
  })),
  "archives.removeAll": Effect.as(done(archived), { call: call("DELETE", "archives"), row: { target: "" } }),
  "channels.act": Effect.succeed({ call: call("POST", "channels/apache/start"), row: { target: "apache/start" } }),
  "channels.actOnJob": Effect.as(call("POST", "channels/apache/start"), {
    call: call("POST", "channels/apache/jobs/local/parse/stop"),
    row: { target: "apache/jobs/local/parse/stop", count: 1 }
  }),
  "channels.save": Effect.succeed({
    call: call("PUT", "channels/made", ticks),
    row: { target: "made", outcome: "begun", before: null, after: expect.stringMatching(/^[0-9a-f]{64}$/) }
  }),
  "channels.remove": Effect.as(call("PUT", "channels/gone", ticks), {
    call: call("DELETE", "channels/gone"),
    row: { target: "gone", outcome: "begun", before: expect.stringMatching(/^[0-9a-f]{64}$/), after: null }
  }),
  "extraction.extract": Effect.as(done(archived), {
    call: call(
      "POST",
      "extraction",
      JSON.stringify({ format: "csv", index: "mytenant-audit", fields: [{ name: "a" }], filters: {} })
    ),
    row: { after: expect.stringMatching(/^[0-9a-f]{64}$/) }
  }),
  "resources.upload": Effect.map(sha256("uploaded"), (after) => ({
    call: uploaded,
    row: { target: "org.example:tool:9", before: null, after }
  })),
  "resources.remove": Effect.gen(function* () {
    yield* call("PUT", "resources/upload", build({ artifact: "gone" }, "removed"))
    return {
      call: call("DELETE", "resources/delete?group=org.example&artifact=gone"),
      row: { target: "org.example:gone", before: yield* sha256("removed"), after: null }
    }
  }),
  "stored.copy": Effect.gen(function* () {
    yield* uploaded
    return { call: copy("copied"), row: { target: `${companion} -> copied`, after: yield* sha256("uploaded") } }
  }),
  "stored.move": Effect.gen(function* () {
    yield* uploaded
    yield* copy("moving")
    const request = call("PUT", "resources/move/moving", form({ destination: "moved" }))
    const digest = yield* sha256("uploaded")
    return { call: request, row: { target: "moving -> moved", before: digest, after: digest } }
  }),
  "stored.register": Effect.gen(function* () {
    const area = join((yield* TestGateway).settings.data, "blobs", tenant, "data")
    mkdirSync(area, { recursive: true })
    writeFileSync(join(area, "here.txt"), "here")
    return { call: call("PUT", "resources/register/here", form({ url: "here.txt" })), row: { target: "here" } }
  }),
  "stored.remove": Effect.gen(function* () {
    yield* uploaded
    yield* copy("unstored")
    const before = yield* sha256("uploaded")
    return { call: call("DELETE", "resources/stored/unstored"), row: { target: "unstored", before } }
  }),
  "stored.sweep": Effect.succeed({ call: call("POST", "resources/sweep"), row: { outcome: "begun" } }),
  "registry.create": Effect.gen(function* () {
    yield* put("a/b.txt", "first")
    const [before, after] = [yield* sha256("first"), yield* sha256("second")]
    return { call: put("a/b.txt", "second"), row: { target: "a/b.txt", before, after } }
  }),
  "registry.remove": Effect.gen(function* () {
    yield* put("a/gone.txt", "content")
    const before = yield* sha256("content")
    return { call: call("DELETE", "registry/delete/a/gone.txt"), row: { target: "a/gone.txt", before } }
  }),
  "files.remove": Effect.gen(function* () {
    const area = join((yield* TestGateway).settings.data, "blobs", tenant, "data", "out")
    mkdirSync(area, { recursive: true })
    writeFileSync(join(area, "gone.txt"), "gone")
    const row = { target: "out/gone.txt", outcome: "begun" }
    return { call: call("DELETE", "files/out/gone.txt"), row }
  }),
  "keys.create": Effect.succeed({
    call: call("POST", "keys", JSON.stringify({ name: "made", role: "viewer" })),
    row: { target: expect.stringMatching(/^[0-9a-f]{8}$/), after: expect.stringMatching(/^[0-9a-f]{64}$/) }
  }),
  "keys.revoke": Effect.gen(function* () {
    const { text } = yield* call("POST", "keys", JSON.stringify({ name: "revoked", role: "viewer" }))
    const { id } = JSON.parse(text) as { readonly id: string }
    return { call: call("DELETE", `keys/${id}`), row: { target: id } }
  }),
  "secrets.put": Effect.succeed({
    call: call("PUT", "secrets/TOKEN", JSON.stringify({ value: "not in the audit" })),
    row: { target: "TOKEN", before: null, after: null }
  }),
  "secrets.remove": Effect.as(call("PUT", "secrets/GONE", JSON.stringify({ value: "gone" })), {
    call: call("DELETE", "secrets/GONE"),
    row: { target: "GONE", before: null, after: null }
  }),
  ...scheduleCalls,
  "scan.reset": Effect.succeed({ call: call("DELETE", "flowline/scan/reset"), row: { outcome: "begun" } }),
  "search.removeIndex": Effect.as(done(archived), {
    call: call("DELETE", "indices/mytenant-audit"),
    row: { target: "mytenant-audit", outcome: "begun" }
  })
}

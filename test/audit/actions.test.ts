import { randomBytes } from "node:crypto"
import { cpSync, mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { HttpApi } from "effect/http-api"
import { SqlClient } from "effect/sql"
import { Api } from "../../src/Api.ts"
import { ChangesNothing } from "../../src/services/shared/Access.ts"
import { build, form } from "../resources/support.ts"
import { read, section } from "../support/documents.ts"
import { exampleConf, flowlineForm, gateway, TestGateway, temporaryFolder } from "../support/gateway.ts"
import { until } from "../support/process.ts"
import { generator } from "../support/runs.ts"
import {
  archived,
  type Calls,
  call,
  companion,
  copy,
  done,
  executed,
  put,
  saved,
  sha256,
  tenant,
  ticks,
  uploaded
} from "./calls.ts"
import { scheduleCalls } from "./schedules.ts"

const rows = (query: { readonly action?: string; readonly outcome?: "failed" } = {}) =>
  Effect.flatMap(TestGateway, ({ client }) => client.audit.list({ params: { tenant }, query }))

/** The rows that a request adds. */
const added = <A, E, R>(request: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const before = yield* rows()
    const made = yield* request
    return { made, news: (yield* rows()).slice(before.length) }
  })

const expectOk = ({ status, text }: { readonly status: number; readonly text: string }) =>
  expect([status, text]).toEqual([expect.toSatisfy((status: number) => status < 300), text])

/** A request to each endpoint that changes something, and the row that it is to write. */
const calls: Calls = {
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

/** The endpoints that change something. */
const changing: Array<string> = []
HttpApi.reflect(Api, {
  onGroup: () => {},
  onEndpoint: ({ endpoint, group, mergedAnnotations }) => {
    if (endpoint.method === "GET" || Context.get(mergedAnnotations, ChangesNothing)) return
    changing.push(`${group.identifier}.${endpoint.identifier}`)
  }
})

/** A gateway that can keep secrets and channels. */
const withKeys = Layer.unwrap(
  Effect.map(temporaryFolder, (folder) => {
    const keyFile = join(folder, "keys")
    writeFileSync(keyFile, `one:${randomBytes(32).toString("base64")}\n`, { mode: 0o600 })
    // Channels are written into the configuration.
    const conf = join(folder, "conf")
    cpSync(exampleConf, conf, { recursive: true })
    return gateway({ conf, secrets: { folder: undefined, keyFile } })
  })
)

layer(withKeys, { excludeTestServices: true })("every endpoint that changes something", (it) => {
  it.effect("has its row, and stands in the table of the page", () =>
    Effect.sync(() => {
      expect(Object.keys(calls).sort()).toEqual(changing.toSorted())
      const table = section(read("docs/audit.md"), "## Changes").matchAll(/^\| (`[^|]+) \|/gm)
      const named = [...table].flatMap(([, cell = ""]) => [...cell.matchAll(/`([^`]+)`/g)].map(([, name]) => name))
      expect(named.sort()).toEqual(changing.toSorted())
    })
  )

  for (const action of changing) {
    it.effect(`writes it, or changes nothing: ${action}`, () =>
      Effect.gen(function* () {
        const prepare = calls[action]
        if (prepare === undefined) throw new Error(`the test knows no request to ${action}`)
        const sql = yield* SqlClient.SqlClient
        const { call, row } = yield* prepare
        const { made, news } = yield* added(
          Effect.gen(function* () {
            // Without its row the change is not made: the same request makes it afterwards, from the same state.
            yield* sql`alter table audit rename to audit_away`
            const failed = yield* Effect.ensuring(call, Effect.orDie(sql`alter table audit_away rename to audit`))
            expect([failed.status, failed.text]).toEqual([504, expect.stringContaining("storage-unreachable")])
            return yield* call
          })
        )
        expectOk(made)
        const sent = { tenant, principal: "anonymous", method: "none", remote: "127.0.0.1" }
        const done = news.filter(({ outcome }) => outcome !== "failed")
        expect(done.filter((one) => one.action === action)).toMatchObject([
          { outcome: "done", status: null, ...sent, ...row }
        ])
        // Nothing else was done by anybody, but what the gateway does by itself.
        expect(done.filter((one) => one.action !== action && !one.action.startsWith("retention."))).toEqual([])
        yield* until(rows({ action, outcome: "failed" }), (failed) => failed.some(({ status }) => status === 504))
      })
    )
  }

  it.effect("writes none when it changes nothing", () =>
    Effect.gen(function* () {
      const nothing = Effect.gen(function* () {
        const requests = [
          ["POST", "flowline/save", 400, flowlineForm("nothing")],
          ["DELETE", "flowline/none", 404],
          ["POST", "flowline/none/versions/1/restore", 404],
          ["POST", "flowline/none", 404],
          ["DELETE", "flowline/none/executions/none", 404],
          ["DELETE", "flowline/executions/none", 404],
          ["DELETE", "archives/none", 404],
          ["POST", "channels/none/start", 404],
          ["DELETE", "resources/delete?group=a&artifact=b", 404],
          ["DELETE", "resources/stored/none", 404],
          ["DELETE", "registry/delete/none", 404],
          ["DELETE", "files/none", 404],
          ["DELETE", "indices/none", 404],
          ["POST", "resources/sweep?dryRun=true", 200],
          // The same bytes again.
          ["PUT", "resources/upload", 201, build({ version: "9" }, "uploaded")]
        ] as const
        for (const [method, path, status, body] of requests) {
          expect([method, path, (yield* call(method, path, body)).status]).toEqual([method, path, status])
        }
      })
      yield* uploaded
      expect((yield* added(nothing)).news.filter(({ outcome }) => outcome !== "failed")).toEqual([])
    })
  )
})

import { randomBytes } from "node:crypto"
import { cpSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { HttpApi } from "effect/http-api"
import { SqlClient } from "effect/sql"
import { Api } from "../../src/Api.ts"
import { ChangesNothing } from "../../src/services/shared/requests/EndpointAnnotations.ts"
import { build } from "../resources/support.ts"
import { read, section } from "../support/documents.ts"
import { exampleConf, flowlineForm, gateway, temporaryFolder } from "../support/gateway.ts"
import { until } from "../support/process.ts"
import { added, call, calls, expectOk, rows, tenant, uploaded } from "./changes.ts"

/** The endpoints that change something. */
const changing: Array<string> = []
HttpApi.reflect(Api, {
  onGroup: () => {},
  onEndpoint: ({ endpoint, group, mergedAnnotations }) => {
    if (endpoint.method === "GET" || Context.get(mergedAnnotations, ChangesNothing)) return
    changing.push(`${group.identifier}.${endpoint.identifier}`)
  }
})

/** Whether a client requested the change. The gateway itself removes what is too old, and unreferenced bytes. */
const isAsked = ({ action, outcome }: { readonly action: string; readonly outcome: string }) =>
  outcome !== "failed" && action !== "blobs.sweep" && !action.startsWith("retention.")

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
        const done = news.filter(isAsked)
        expect(done.filter((one) => one.action === action)).toMatchObject([
          { outcome: "done", status: null, ...sent, ...row }
        ])
        expect(done.filter((one) => one.action !== action)).toEqual([])
        yield* until(rows({ action, outcome: "failed" }), (failed) => failed.some(({ status }) => status === 504))
      })
    )
  }

  it.effect("writes none for a key that was revoked before", () =>
    Effect.gen(function* () {
      const { text } = yield* call("POST", "keys", JSON.stringify({ name: "twice", role: "viewer" }))
      const { id } = JSON.parse(text) as { readonly id: string }
      const revoked = Effect.map(call("DELETE", `keys/${id}`), ({ status }) => status)
      const [first, second] = [yield* added(revoked), yield* added(revoked)]
      expect([first.made, second.made]).toEqual([204, 204])
      expect(first.news.filter(isAsked)).toMatchObject([{ action: "keys.revoke", target: id }])
      expect(second.news.filter(isAsked)).toEqual([])
    })
  )

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
      expect((yield* added(nothing)).news.filter(isAsked)).toEqual([])
    })
  )
})

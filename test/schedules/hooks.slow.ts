import { createHash } from "node:crypto"
import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { withHeaders } from "../../packages/client/src/FlowGateway.ts"
import { connect } from "../../packages/client/src/promise.ts"
import { fileAccess } from "../limits/access.ts"
import { gatewayOn, TestGateway } from "../support/gateway.ts"
import { until } from "../support/process.ts"
import { call, firings, printed, put, saved, tenant, triggered, untilFirings } from "./support.ts"

const { layer: access, changeFile } = fileAccess()

/** Sends to a webhook; `x-api-key` would be a credential of the access file, which has no effect here. */
const send = (
  name: string,
  token: string | undefined,
  body: string,
  headers: Readonly<Record<string, string>> = { "content-type": "application/json" }
) =>
  call("POST", `hooks/${name}`, body, {
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    ...headers
  })

layer(gatewayOn(access), { excludeTestServices: true })("webhooks", (it) => {
  it.effect("have a token that is shown once and stored as its hash, and refuse all others alike", () =>
    Effect.gen(function* () {
      const flowline = yield* saved(triggered)
      const definition = { flowline, trigger: { webhook: {} } }
      const made = yield* put("push", definition)
      const { token } = made.body
      expect(token).toMatch(/^fgh_[A-Za-z0-9_-]{43}$/)
      for (const path of ["schedules/push", "schedules", "schedules/push/firings"]) {
        expect(JSON.stringify((yield* call("GET", path)).body)).not.toContain(token)
      }
      expect((yield* put("push", { ...definition, description: "again" })).body.token).toBeUndefined()
      const sql = yield* SqlClient.SqlClient
      const [row] = yield* sql<{ all: string; hash: string }>`
        select row_to_json(s)::text as all, encode(token_sha256, 'hex') as hash from schedules s where name = 'push'`
      expect(row?.hash).toBe(createHash("sha256").update(token).digest("hex"))
      expect(row?.all).not.toContain(token.slice(4))

      yield* put("timed", { flowline, trigger: { every: "30d" } })
      const other = `fgh_${"A".repeat(43)}`
      const refused = yield* Effect.all([
        send("push", undefined, "{}"),
        send("push", other, "{}"),
        send("push", "admin@mytenant", "{}"),
        send("timed", token, "{}"),
        send("none", token, "{}"),
        call("POST", "../nobody/hooks/push", "{}", { authorization: `Bearer ${token}` })
      ])
      expect(refused.map(({ status }) => status)).toEqual(refused.map(() => 401))
      expect(new Set(refused.map(({ body }) => body.detail)).size).toBe(1)
      expect(yield* firings("push")).toEqual([])

      const renewed = yield* call("POST", "schedules/push/token")
      expect(renewed.status).toBe(201)
      expect((yield* send("push", token, "{}")).status).toBe(401)
      expect((yield* send("push", renewed.body.token, "{}")).status).toBe(202)
      expect((yield* call("POST", "schedules/timed/token")).status).toBe(409)
      const { client } = yield* TestGateway
      const rows = yield* client.audit.list({ params: { tenant }, query: { principal: "hook:push" } })
      expect(rows).toMatchObject([{ action: "hooks.fire", target: "push", method: "key", outcome: "done" }])
      for (const name of ["push", "timed"]) yield* call("DELETE", `schedules/${name}`)
    })
  )

  it.effect("give the body to the run as records or as parameters, also when it runs again", () =>
    Effect.gen(function* () {
      const flowline = yield* saved(triggered)
      const { body: hook } = yield* put("records", { flowline, trigger: { webhook: {} } })
      const bodies = [
        ["application/json", '[{"a":1},{"a":2}]', [{ a: 1 }, { a: 2 }]],
        ["application/json; charset=utf-8", '{"a":"ä"}', [{ a: "ä" }]],
        ["application/x-ndjson", '{"a":1}\n{"a":2}\n', [{ a: 1 }, { a: 2 }]],
        ["text/plain", "one\ntwo", [{ message: "one" }, { message: "two" }]]
      ] as const
      for (const [type, body, expected] of bodies) {
        const { status, body: fired } = yield* send("records", hook.token, body, { "content-type": type })
        expect([type, status]).toEqual([type, 202])
        const [done] = yield* untilFirings("records", (all) => all.every(({ state }) => state === "SUCCEEDED")).pipe(
          Effect.map((all) => all.filter(({ id }) => id === fired.id))
        )
        expect([type, yield* printed(done!.execution!)]).toEqual([type, expected])
      }
      const last = (yield* firings("records"))[0]!
      const again = yield* call("POST", `flowline/executions/${last.execution}/again`)
      const { client } = yield* TestGateway
      const params = { tenant, flowlineId: flowline, executionId: again.body.id as string }
      yield* until(client.executions.detail({ params }), ({ state }) => state === "SUCCEEDED")
      expect(yield* printed(again.body.id)).toEqual([{ message: "one" }, { message: "two" }])

      const { body: given } = yield* put("given", {
        flowline,
        trigger: { webhook: { body: "parameters" } },
        parameters: { day: 1, kept: true }
      })
      yield* send("given", given.token, '{"day":2}')
      const [one] = yield* untilFirings("given", ([found]) => found?.state === "SUCCEEDED")
      expect(yield* printed(one!.execution!)).toMatchObject([{ kind: "webhook", parameters: { day: 2, kept: true } }])
      for (const name of ["records", "given"]) yield* call("DELETE", `schedules/${name}`)
    })
  )

  it.effect("take each kind of body from the typed client", () =>
    Effect.gen(function* () {
      const flowline = yield* saved(triggered)
      const { body: hook } = yield* put("typed", { flowline, trigger: { webhook: {} }, overlap: "allow" })
      const { client, url } = yield* TestGateway
      const asSender = withHeaders({ authorization: `Bearer ${hook.token}` })
      const promises = connect(url, { credentials: { token: hook.token } })
      const params = { tenant, name: "typed" }
      const bodies = [
        [{ a: 1 }, [{ a: 1 }]],
        [
          [{ a: 1 }, { a: { b: "ä" } }],
          [{ a: 1 }, { a: { b: "ä" } }]
        ],
        [new TextEncoder().encode('{"a":1}\n{"a":2}\n'), [{ a: 1 }, { a: 2 }]],
        ["one\ntwo", [{ message: "one" }, { message: "two" }]]
      ] as const
      for (const [payload, expected] of bodies) {
        const fired = [
          yield* asSender(client.hooks.fire({ params, payload })),
          yield* Effect.promise(() => promises.hooks.fire({ params, payload }))
        ]
        for (const { id } of fired) {
          const all = yield* untilFirings("typed", (found) => found.every(({ state }) => state === "SUCCEEDED"))
          expect(yield* printed(all.find((one) => one.id === id)!.execution!)).toEqual(expected)
        }
      }
      const { id } = yield* asSender(client.hooks.fire({ params, payload: "" }))
      const all = yield* untilFirings("typed", (found) => found.every(({ state }) => state === "SUCCEEDED"))
      expect(yield* printed(all.find((one) => one.id === id)!.execution!)).toMatchObject([{ kind: "webhook" }])
      yield* call("DELETE", "schedules/typed")
    })
  )

  it.effect("refuse bodies that the run could not read, and too many requests", () =>
    Effect.gen(function* () {
      const flowline = yield* saved(triggered)
      const { body: hook } = yield* put("strict", { flowline, trigger: { webhook: { perMinute: 6000 } } })
      const { body: given } = yield* put("object", { flowline, trigger: { webhook: { body: "parameters" } } })
      const statuses = [
        [400, "strict", "{", "application/json"],
        [400, "strict", "[1]", "application/json"],
        [415, "strict", "a,b", "text/csv"],
        [400, "object", "[{}]", "application/json"],
        [415, "object", "a", "text/plain"],
        [413, "strict", "x".repeat(1024 * 1024 + 1), "text/plain"]
      ] as const
      for (const [status, name, body, type] of statuses) {
        const token = name === "strict" ? hook.token : given.token
        const answer = yield* send(name, token, body, { "content-type": type })
        expect([name, type, answer.status]).toEqual([name, type, status])
      }
      const coded = yield* send("strict", hook.token, "{}", {
        "content-type": "application/json",
        "content-encoding": "gzip"
      })
      expect([coded.status, coded.body.detail]).toEqual([
        415,
        'The body has the content coding "gzip"; send it as it is, without Content-Encoding'
      ])
      expect(yield* firings("strict")).toEqual([])
      // The same request twice is one firing.
      const headers = { "content-type": "application/json", "idempotency-key": "delivery-1" }
      const twice = yield* Effect.all(
        [send("strict", hook.token, "{}", headers), send("strict", hook.token, "{}", headers)],
        {
          concurrency: 2
        }
      )
      expect(twice.map(({ status }) => status)).toEqual([202, 202])
      expect(yield* firings("strict")).toHaveLength(1)

      const { body: slow } = yield* put("slow", { flowline, trigger: { webhook: { perMinute: 1 } } })
      expect((yield* send("slow", slow.token, "{}")).status).toBe(202)
      const over = yield* send("slow", slow.token, "{}")
      expect([over.status, over.body.limit, over.body.value]).toEqual([429, "perMinute", 1])
      yield* call("POST", "schedules/strict/pause")
      expect((yield* send("strict", hook.token, "{}")).status).toBe(409)
      yield* call("POST", "schedules/strict/resume")
      yield* changeFile({ tenants: { mytenant: { suspended: true } } })
      expect((yield* send("strict", hook.token, "{}")).status).toBe(403)
      yield* changeFile({})
      for (const name of ["strict", "object", "slow"]) yield* call("DELETE", `schedules/${name}`)
    })
  )
})

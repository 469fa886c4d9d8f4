import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { gatewayOn, raw } from "../support/gateway.ts"
import { fileAccess } from "./access.ts"

const { layer: access, changeFile } = fileAccess()

/** Sends so many concurrent requests, and counts their statuses. */
const flood = Effect.fnUntraced(function* (path: string, count: number, key?: string) {
  const headers = key === undefined ? {} : { "x-api-key": key }
  const sent = Effect.map(raw(path, { headers }), ({ status }) => status)
  const statuses = yield* Effect.all(
    Array.from({ length: count }, () => sent),
    { concurrency: 8 }
  )
  const counted = (wanted: number) => statuses.filter((status) => status === wanted).length
  return { passed: counted(200), refused: counted(429), others: statuses.filter((s) => s !== 200 && s !== 429) }
})

const rows = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) =>
    sql<{ tenant: string; principal: string }>`select tenant, principal from request_rates order by tenant, principal`
)

layer(gatewayOn(access, {}), { excludeTestServices: true })("the rate of requests", (it) => {
  it.effect("is told with every answer, and ends in 429 that names the limit", () =>
    Effect.gen(function* () {
      // So slow that no token is added during the test.
      yield* changeFile({
        tenants: {
          mytenant: { limits: { requestsPerSecond: 1, burstSeconds: 20, requestsPerSecondOfPrincipal: null } }
        }
      })
      const first = yield* raw("/v1/mytenant/channels")
      expect(first.headers.get("ratelimit-policy")).toBe('"tenant";q=20;w=20')
      expect(first.headers.get("ratelimit")).toMatch(/^"tenant";r=19;t=1$/)
      const missing = yield* raw("/v1/mytenant/archives/none")
      expect([missing.status, missing.headers.get("ratelimit-policy")]).toEqual([404, '"tenant";q=20;w=20'])
      expect((yield* flood("/v1/mytenant/channels", 18)).passed).toBe(18)
      // A token is added each second, however long these requests take.
      let answer = yield* raw("/v1/mytenant/channels")
      for (let sent = 0; answer.status !== 429 && sent < 1000; sent++) answer = yield* raw("/v1/mytenant/channels")
      const problem: unknown = yield* Effect.promise(() => answer.json())
      expect(problem).toMatchObject({
        status: 429,
        type: "/problems/limit-exceeded",
        detail: "More than 1 requests per second of tenant:mytenant, which is the limit requestsPerSecond",
        limit: "requestsPerSecond",
        value: 1,
        used: 2,
        key: "tenant:mytenant",
        tenant: "mytenant"
      })
      const retryAfter = Number(answer.headers.get("retry-after"))
      expect(problem).toMatchObject({ retryAfter })
      expect(answer.headers.get("ratelimit")).toBe('"tenant";r=0;t=20')
    })
  )

  it.effect("makes nothing for tenants that do not exist, or that the principal may not see", () =>
    Effect.gen(function* () {
      yield* changeFile({ limits: { requestsPerSecond: 100, requestsPerSecondOfPrincipal: 50 } })
      yield* Effect.forEach(["/v1/none/channels", "/v1/constructor/channels"], (path) =>
        Effect.map(raw(path), (answer) => {
          expect([answer.status, answer.headers.get("ratelimit")]).toEqual([404, null])
        })
      )
      const hidden = yield* raw("/v1/othertenant/channels", { headers: { "x-api-key": "viewer@mytenant/eve" } })
      expect([hidden.status, hidden.headers.get("ratelimit")]).toEqual([404, null])
      yield* raw("/v1/mytenant/channels", { headers: { "x-api-key": "viewer@mytenant/eve" } })
      const known = (yield* rows).map(({ tenant, principal }) => `${tenant} ${principal}`)
      expect(known).toContain("mytenant user:viewer@mytenant/eve")
      expect(known.filter((row) => /^(none|constructor|othertenant)/.test(row))).toEqual([])
    })
  )

  it.effect("of one principal leaves the others of the tenant theirs, and one tenant another", () =>
    Effect.gen(function* () {
      yield* changeFile({
        limits: { requestsPerSecond: null, requestsPerSecondOfPrincipal: null },
        tenants: { mytenant: { limits: { requestsPerSecondOfPrincipal: 1, burstSeconds: 5 } }, othertenant: {} }
      })
      const { refused } = yield* flood("/v1/mytenant/channels", 60, "viewer@mytenant/loud")
      expect(refused).toBeGreaterThan(0)
      expect(yield* flood("/v1/mytenant/channels", 4, "viewer@mytenant/quiet")).toMatchObject({ passed: 4, refused: 0 })
      const both = yield* Effect.all(
        [flood("/v1/mytenant/channels", 100, "viewer@mytenant/loud"), flood("/v1/othertenant/channels", 100)],
        { concurrency: 2 }
      )
      expect(both[0].refused).toBeGreaterThan(0)
      expect(both[1]).toEqual({ passed: 100, refused: 0, others: [] })
      const metrics = yield* Effect.flatMap(raw("/metrics"), (answer) => Effect.promise(() => answer.text()))
      expect(metrics).toMatch(/flow_limit_refusals_total\{limit="requestsPerSecondOfPrincipal",tenant="mytenant"\} \d+/)
      expect(metrics).not.toMatch(/flow_limit_refusals_total\{.*othertenant/)
    })
  )

  it.effect("is nothing where the file has no limit", () =>
    Effect.gen(function* () {
      yield* changeFile({ limits: { requestsPerSecond: null, requestsPerSecondOfPrincipal: null } })
      const answer = yield* raw("/v1/mytenant/channels")
      expect([answer.status, answer.headers.get("ratelimit")]).toEqual([200, null])
    })
  )
})

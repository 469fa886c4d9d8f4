import { describe, expect, it, layer } from "@effect/vitest"
import { Context, Effect, Layer, Logger, Metric } from "effect"
import { TestClock } from "effect/testing"
import { StorageUnreachable } from "../../src/errors/StorageUnreachable.ts"
import { Unauthorized } from "../../src/errors/Unauthorized.ts"
import * as Production from "../../src/layers/Production.ts"
import { Authenticator } from "../../src/services/access/Authenticator.ts"
import { AuditStore, type Chain, type NewEntry } from "../../src/services/audit/AuditStore.ts"
import type { AuditEntry } from "../../src/services/audit/Entry.ts"
import * as RefusalLog from "../../src/services/audit/RefusalLog.ts"
import type { Principal, Role } from "../../src/services/shared/security/Principal.ts"
import { type Refusal, Refusals } from "../../src/services/shared/security/Refusals.ts"
import { TenantId, Tenants } from "../../src/services/shared/Tenant.ts"
import { ask, build } from "../resources/support.ts"
import { flowlineForm, served, testSettings } from "../support/gateway.ts"
import { until } from "../support/process.ts"
import { generator } from "../support/runs.ts"

/** Whoever names a user in a header is that user: `alice=developer@mytenant`. Nobody else is. */
const byHeader = Layer.succeed(Authenticator, {
  challenge: () => 'Basic realm="flow-gateway"',
  authenticate: ({ headers }) => {
    const user = headers["x-user"]
    const [, name, role, tenant] = /^(\w+)=(\w+)@(\S+)$/.exec(user ?? "") ?? []
    if (name === undefined) return Effect.fail(new Unauthorized())
    const principal: Principal = {
      id: `user:${name}`,
      method: "basic",
      grants: new Map([[tenant ?? "", role as Role]])
    }
    return Effect.succeed(principal)
  }
})

const gateway = served(Layer.merge(Production.layer, byHeader)).pipe(
  Layer.provideMerge(testSettings({ quota: { bytes: 100, entries: 1 }, tenantQueue: 0 })),
  Layer.orDie
)

const root = "root=admin@*"

const audited = (path: string, query = "") =>
  Effect.map(
    ask(`/v1/${path}/audit${query}`, { headers: { "x-user": root } }),
    ({ json }) => json as ReadonlyArray<AuditEntry>
  )

/** Waits for the row of a refusal. */
const found = (path: string, holds: (row: AuditEntry) => boolean) =>
  Effect.map(
    until(audited(path), (rows) => rows.some(holds)),
    (rows) => rows.filter(holds)
  )

const send = (user: string, method: string, path: string, more: RequestInit = {}) =>
  Effect.map(
    ask(path, {
      ...more,
      method,
      headers: { ...(user === "" ? {} : { "x-user": user }), ...(more.headers as object) }
    }),
    ({ status }) => status
  )

layer(gateway, { excludeTestServices: true })("a refusal", (it) => {
  it.effect("is written with who was refused what, by authentication, authorization and limits", () =>
    Effect.gen(function* () {
      const developer = "dora=developer@mytenant"
      const upload = (name: string, bytes: string) => ({ body: build({ artifact: name }, bytes) })
      expect(yield* send("", "GET", "/v1/mytenant/flowline")).toBe(401)
      expect(yield* send("vera=viewer@mytenant", "DELETE", "/v1/mytenant/archives")).toBe(403)
      expect(yield* send("vera=viewer@mytenant", "GET", "/v1/othertenant/flowline")).toBe(404)
      expect(yield* send("vera=viewer@mytenant", "GET", "/v1/platform/audit")).toBe(403)
      expect(yield* send("ada=admin@mytenant", "GET", "/v1/platform/audit")).toBe(403)
      expect(yield* send("ada=admin@mytenant", "GET", "/v1/mytenant/audit")).toBe(200)
      expect(yield* send(developer, "GET", "/v1/mytenant/audit")).toBe(403)
      expect(yield* send(developer, "POST", "/v1/mytenant/flowline", { body: flowlineForm(generator(1, 1)) })).toBe(429)
      expect(yield* send(developer, "PUT", "/v1/mytenant/resources/upload", upload("large", "x".repeat(101)))).toBe(413)
      expect(yield* send(developer, "PUT", "/v1/mytenant/resources/upload", upload("one", "1"))).toBe(201)
      expect(yield* send(developer, "PUT", "/v1/mytenant/resources/upload", upload("two", "2"))).toBe(429)
      expect(
        yield* send(developer, "DELETE", "/v1/mytenant/archives", { headers: { origin: "https://evil.example" } })
      ).toBe(403)
      const expected: ReadonlyArray<readonly [string, Partial<AuditEntry>]> = [
        ["mytenant", { status: 401, principal: "unauthenticated", method: "none", action: "flowlines.list" }],
        ["mytenant", { status: 403, principal: "user:vera", method: "basic", action: "archives.removeAll" }],
        ["othertenant", { status: 404, principal: "user:vera", action: "flowlines.list", tenant: "othertenant" }],
        ["platform", { status: 403, principal: "user:vera", action: "audit.platform", tenant: null }],
        ["platform", { status: 403, principal: "user:ada", action: "audit.platform" }],
        ["mytenant", { status: 403, principal: "user:dora", action: "audit.list", target: "/v1/mytenant/audit" }],
        ["mytenant", { status: 429, principal: "user:dora", action: "flowlines.executeOnce" }],
        ["mytenant", { status: 413, principal: "user:dora", action: "resources.upload" }],
        ["mytenant", { status: 429, principal: "user:dora", action: "resources.upload" }],
        ["mytenant", { status: 403, principal: "unauthenticated", action: "archives.removeAll" }]
      ]
      for (const [chain, row] of expected) {
        const rows = yield* found(chain, (one) =>
          Object.entries(row).every(([name, value]) => one[name as keyof AuditEntry] === value)
        )
        expect(rows).toMatchObject([
          { ...row, outcome: "refused", count: 1, remote: "127.0.0.1", before: null, after: null }
        ])
      }
    })
  )

  it.effect("is none where a request is faulty, or its tenant does not exist", () =>
    Effect.gen(function* () {
      const developer = "dan=developer@mytenant"
      expect(yield* send(developer, "GET", "/v1/nosuch/flowline")).toBe(404)
      expect(yield* send(developer, "GET", "/v1/mytenant/flowline/none")).toBe(404)
      expect(yield* send(developer, "POST", "/v1/mytenant/flowline/save", { body: flowlineForm("nothing") })).toBe(400)
      expect(yield* send(developer, "PATCH", "/v1/mytenant/flowline")).toBe(405)
      // Rows are written in order: once a later refusal is present, missing earlier ones will never be written.
      expect(yield* send(developer, "DELETE", "/v1/mytenant/archives")).toBe(403)
      yield* found("mytenant", ({ principal }) => principal === "user:dan")
      const all = [...(yield* audited("mytenant")), ...(yield* audited("platform"))]
      expect(all.filter(({ principal }) => principal === "user:dan")).toMatchObject([{ action: "archives.removeAll" }])
    })
  )

  it.effect("is a row with a number when it is one of many, and nothing secret is in it", () =>
    Effect.gen(function* () {
      const wrong = Effect.forEach(
        Array.from({ length: 500 }),
        (_, n) =>
          send("", "GET", `/v1/mytenant/conf?password=hunter2`, {
            headers: { authorization: `Basic ${btoa(`alice:hunter${n}`)}` }
          }),
        { concurrency: 20 }
      )
      expect(new Set(yield* wrong)).toEqual(new Set([401]))
      const ours = ({ action, status }: AuditEntry) => action === "conf.tree" && status === 401
      const sum = (rows: ReadonlyArray<AuditEntry>) => rows.filter(ours).reduce((all, { count }) => all + count, 0)
      const rows = yield* until(audited("mytenant"), (rows) => sum(rows) >= 500)
      expect(sum(rows)).toBe(500)
      expect(rows.filter(ours).length).toBeLessThan(100)
      expect(JSON.stringify(rows)).not.toContain("hunter")
    })
  )
})

const refusal = (given: Partial<Refusal> = {}): Refusal => ({
  tenant: "mytenant",
  principal: undefined,
  action: "flowlines.list",
  target: "/v1/mytenant/flowline",
  outcome: "refused",
  status: 401,
  requestId: "",
  remote: "192.0.2.7",
  isHidden: false,
  ...given
})

/** A log whose store can become unreachable, and the written rows. */
const logged = Effect.gen(function* () {
  const state = { isAway: false }
  const written: Array<NewEntry & { readonly chain: Chain }> = []
  const store = {
    append: (chain: Chain, entries: ReadonlyArray<NewEntry>) =>
      Effect.suspend(() => {
        if (state.isAway) return Effect.fail(new StorageUnreachable({ storage: "metadata" }))
        written.push(...entries.map((entry) => ({ ...entry, chain })))
        return Effect.void
      })
  }
  const tenants = Tenants.of({ exists: (name) => Effect.succeed(name === "mytenant"), names: Effect.succeed([]) })
  const context = yield* Layer.build(
    RefusalLog.layer.pipe(
      Layer.provide(Layer.mergeAll(Layer.mock(AuditStore)(store), Layer.succeed(Tenants, tenants), Logger.layer([])))
    )
  )
  const { note } = Context.get(context, Refusals)
  const lost = Effect.map(Metric.snapshot, (all) => {
    const found = all.find(({ id }) => id === "flow_audit_lost_total")
    return found?.type === "Counter" ? Number(found.state.count) : undefined
  })
  return { state, written, note, lost }
})

const second = TestClock.adjust("1 second")

describe("refusals in the background", () => {
  it.effect("of 10,000 wrong passwords in a second are one row", () =>
    Effect.gen(function* () {
      const { note, written } = yield* logged
      for (let n = 0; n < 10_000; n++) note(refusal({ requestId: String(n) }))
      expect(written).toEqual([])
      yield* second
      expect(written).toMatchObject([{ chain: "mytenant", count: 10_000, requestId: "0" }])
      note(refusal())
      yield* second
      expect(written.map(({ count }) => count)).toEqual([10_000, 1])
    })
  )

  it.effect("that are too many to be told apart become one row", () =>
    Effect.gen(function* () {
      const { note, written } = yield* logged
      for (let n = 0; n < 10_000; n++) note(refusal({ remote: `192.0.2.${n}` }))
      yield* second
      expect(written).toHaveLength(501)
      expect(written.filter(({ action }) => action === "audit.further")).toMatchObject([
        { chain: undefined, count: 9500 }
      ])
    })
  )

  it.effect("of tenants that do not exist are none of a tenant", () =>
    Effect.gen(function* () {
      const { note, written } = yield* logged
      note(refusal({ tenant: "nosuch", isHidden: true, status: 404 }))
      note(refusal({ tenant: "nosuch" }))
      note(refusal({ isHidden: true, status: 404 }))
      yield* second
      expect(written).toMatchObject([
        { chain: undefined, status: 401 },
        { chain: TenantId("mytenant"), status: 404 }
      ])
    })
  )

  it.effect("wait while the database is away, but not without end: then they are counted as lost", () =>
    Effect.gen(function* () {
      const { note, written, state, lost } = yield* logged
      state.isAway = true
      for (let round = 0; round < 3; round++) {
        for (let n = 0; n < 500; n++) note(refusal({ remote: `198.51.${round}.${n}` }))
        yield* second
      }
      expect([written.length, yield* lost]).toEqual([0, 0])
      state.isAway = false
      yield* second
      expect([written.length, yield* lost]).toEqual([1500, 0])
      state.isAway = true
      for (let round = 0; round < 5; round++) {
        for (let n = 0; n < 500; n++) note(refusal({ remote: `198.51.${round}.${n}` }))
        note(refusal({ remote: `198.51.${round}.0` }))
        yield* second
      }
      expect([written.length, yield* lost]).toEqual([1500, 501])
      state.isAway = false
      yield* second
      expect([written.length, yield* lost]).toEqual([3500, 501])
    })
  )
})

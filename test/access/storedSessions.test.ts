import { PgClient } from "@effect/sql-pg"
import { expect, layer } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { Reactivity } from "effect/reactivity"
import type { AuditEntry } from "../../src/services/audit/Entry.ts"
import { memoryGateway, TestGateway } from "../support/gateway.ts"
import { until } from "../support/process.ts"
import { alice, archives, file, freshBrowser, loggedIn, password, users } from "./browser.ts"
import { basic, guarded, guardedGateway, replaceAccess } from "./support.ts"

layer(memoryGateway(), { excludeTestServices: true })("a gateway without FLOW_AUTH", (it) => {
  it.effect("has nobody log in", () =>
    Effect.gen(function* () {
      const browser = yield* freshBrowser
      const { json } = yield* browser.session
      expect(json).toMatchObject({ authentication: false, schemes: [], principal: "anonymous", everyTenant: "admin" })
      expect(json.tenants).toContainEqual({ name: "mytenant", role: "admin" })
      const answer = yield* browser.logIn(alice)
      expect([answer.status, answer.json.issues[0].detail]).toEqual([400, expect.stringContaining("FLOW_AUTH")])
      expect((yield* browser.delete("/console/session")).status).toBe(200)
      const wrong = yield* Effect.promise(() => browser.send("PUT", "/console/session"))
      expect([wrong.status, wrong.headers.get("allow")]).toEqual([405, "DELETE, GET, HEAD, POST"])
    })
  )
})

layer(guarded(file, { cors: ["https://app.example.com"] }), { excludeTestServices: true })(
  "pages of FLOW_CORS",
  (it) => {
    it.effect("have no part in a session", () =>
      Effect.gen(function* () {
        const browser = yield* loggedIn()
        for (const headers of [{ "sec-fetch-site": "same-site" }, { "sec-fetch-site": "cross-site" }]) {
          const page = { ...headers, origin: "https://app.example.com" }
          const read = yield* browser.get(archives, page)
          expect([read.status, read.headers.get("access-control-allow-credentials")]).toEqual([401, null])
          expect(read.headers.get("access-control-allow-origin")).toBe("https://app.example.com")
          expect((yield* browser.delete(archives, page)).status).toBe(403)
          expect((yield* browser.logIn(alice, page)).status).toBe(403)
          const own = yield* browser.get(archives, { ...page, authorization: basic("alice", password) })
          expect(own.status).toBe(200)
        }
      })
    )
  }
)

/** Statements on the database of the gateway. */
const withDatabase = <A, E>(use: (sql: PgClient.PgClient) => Effect.Effect<A, E>) =>
  Effect.flatMap(TestGateway, ({ settings }) =>
    Effect.scoped(Effect.flatMap(PgClient.makeClient({ url: Redacted.make(settings.databaseUrl ?? "") }), use))
  ).pipe(Effect.provide(Reactivity.layer), Effect.orDie)

layer(guardedGateway(file), { excludeTestServices: true })("a stored session", (it) => {
  it.effect("ends when it was not used for long, and some hours after the login in any case", () =>
    Effect.gen(function* () {
      const later = (change: string) => withDatabase((sql) => sql.unsafe(`update sessions set ${change}`))
      const idle = yield* loggedIn()
      yield* later("used_at = used_at - interval '119 minutes'")
      expect((yield* idle.get(archives)).status).toBe(200)
      // It counts from the last use.
      const left = Effect.map(idle.session, ({ json }) => Date.parse(json.idleUntil) - Date.now())
      expect(yield* left).toBeGreaterThan(119 * 60_000)
      yield* later("used_at = used_at - interval '121 minutes'")
      const over = yield* idle.get(archives)
      expect([over.status, over.json.detail, idle.jar.size]).toEqual([401, "The session has ended: log in again", 0])
      const old = yield* loggedIn()
      yield* later("ends_at = ends_at - interval '12 hours'")
      expect((yield* old.get(archives)).status).toBe(401)
      expect((yield* old.session).json.principal).toBe(null)
      // The next login removes both.
      yield* loggedIn()
      const rows = withDatabase((sql) => sql<{ left: boolean }>`select ends_at > now() as left from sessions`)
      expect((yield* rows).every(({ left }) => left)).toBe(true)
      yield* replaceAccess(users({ sessions: { idleMinutes: 5, hours: 1 } }))
      const shorter = yield* until(
        Effect.flatMap(loggedIn({ user: "vera", password }), ({ session }) => session),
        ({ json }) => Date.parse(json.endsAt) - Date.now() < 3_600_001
      )
      expect(Date.parse(shorter.json.idleUntil) - Date.now()).toBeLessThan(300_001)
      yield* replaceAccess(file)
      yield* until(
        Effect.flatMap(freshBrowser, (browser) => browser.logIn(alice)),
        ({ status, json }) => status === 200 && Date.parse(json.endsAt) - Date.now() > 3_600_001
      )
    })
  )

  it.effect("is one of at most fifty of a principal", () =>
    Effect.gen(function* () {
      const first = yield* loggedIn()
      for (let at = 0; at < 50; at++) yield* loggedIn()
      expect((yield* first.get(archives)).status).toBe(401)
      const count = withDatabase(
        (sql) => sql<{ count: number }>`select count(*)::int as count from sessions where principal = 'user:alice'`
      )
      expect(yield* count).toEqual([{ count: 50 }])
    })
  )

  it.effect("is in the audit with its begin and end, and so is a failed login", () =>
    Effect.gen(function* () {
      const root = yield* loggedIn({ user: "root", password })
      const browser = yield* loggedIn()
      yield* browser.delete("/console/session")
      yield* browser.logIn({ user: "alice", password: "wrong" })
      const rowsOf = (action: string) =>
        Effect.map(root.get(`/v1/platform/audit?action=${action}`), ({ json }) => json as ReadonlyArray<AuditEntry>)
      const begun = yield* rowsOf("sessions.begin")
      expect(
        begun.findLast(({ outcome, principal }) => outcome === "done" && principal === "user:alice")
      ).toMatchObject({
        method: "basic",
        target: "password",
        remote: "127.0.0.1"
      })
      const refused = yield* until(rowsOf("sessions.begin"), (rows) => rows.some(({ status }) => status === 401))
      expect(refused.find(({ status }) => status === 401)).toMatchObject({
        principal: "unauthenticated",
        outcome: "refused",
        target: "/console/session"
      })
      expect((yield* rowsOf("sessions.end")).at(-1)).toMatchObject({ principal: "user:alice", outcome: "done" })
      expect(JSON.stringify(yield* rowsOf("sessions.begin"))).not.toContain(password)
    })
  )
})

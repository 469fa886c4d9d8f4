import { expect, layer, type Vitest } from "@effect/vitest"
import { Effect } from "effect"
import { TestGateway } from "../support/gateway.ts"
import { until } from "../support/process.ts"
import { accessFile, hashOf } from "./accessFiles.ts"
import { alice, archives, Browser, file, freshBrowser, loggedIn, ownPage, password } from "./browser.ts"
import { basic, guarded, guardedGateway, replaceAccess } from "./support.ts"

const suite = (it: Vitest.MethodsNonLive<TestGateway>) => {
  it.effect("begins with a password, tells who it is, and ends", () =>
    Effect.gen(function* () {
      const browser = yield* freshBrowser
      const before = yield* browser.session
      expect([before.status, before.headers.get("cache-control")]).toEqual([200, "no-store"])
      expect(before.json).toEqual({
        authentication: true,
        schemes: [{ kind: "password" }, { kind: "key" }],
        principal: null,
        scheme: null,
        endsAt: null,
        idleUntil: null,
        everyTenant: null,
        tenants: []
      })
      expect((yield* browser.get(archives)).status).toBe(401)
      const answer = yield* browser.logIn(alice)
      const [cookie = ""] = answer.cookies
      expect(cookie).toMatch(/^flow-[0-9a-f]{12}=[A-Za-z0-9_-]{43}; Path=\/; HttpOnly; SameSite=Strict$/)
      const [, token = ""] = /=([^;]+)/.exec(cookie) ?? []
      expect(answer.text).not.toContain(token)
      expect(answer.json).toEqual({
        ...before.json,
        principal: "user:alice",
        scheme: "password",
        endsAt: expect.stringMatching(/Z$/),
        idleUntil: expect.stringMatching(/Z$/),
        tenants: [
          { name: "mytenant", role: "admin" },
          { name: "othertenant", role: "viewer" }
        ]
      })
      const [, ends, idle] = [0, answer.json.endsAt, answer.json.idleUntil].map((time) => Date.parse(String(time)))
      expect([Math.round((ends! - Date.now()) / 3_600_000), Math.round((idle! - Date.now()) / 60_000)]).toEqual([
        12, 120
      ])
      expect((yield* browser.get(archives)).status).toBe(200)
      expect((yield* browser.get("/v1/othertenant/archives")).status).toBe(200)
      expect((yield* browser.get("/v1/nobody/archives")).status).toBe(404)
      const stolen = new Browser((yield* TestGateway).url, browser.jar)
      const ended = yield* browser.delete("/console/session")
      expect([ended.status, ended.json, browser.jar.size]).toEqual([200, before.json, 0])
      // The browser has forgotten it, and so has the gateway.
      const refused = yield* stolen.get(archives)
      expect([refused.status, refused.json.detail]).toEqual([401, "The session has ended: log in again"])
      expect(stolen.jar.size).toBe(0)
      expect((yield* browser.delete("/console/session")).status).toBe(200)
    })
  )

  it.effect("has the rights of its principal, and no others", () =>
    Effect.gen(function* () {
      const vera = yield* loggedIn({ user: "vera", password })
      const forbidden = yield* vera.delete(archives)
      expect([forbidden.status, forbidden.json.role]).toEqual([403, "admin"])
      expect((yield* vera.get("/v1/othertenant/archives")).status).toBe(404)
      expect((yield* vera.get("/metrics")).status).toBe(403)
      const root = yield* loggedIn({ user: "root", password })
      expect((yield* root.session).json).toMatchObject({ principal: "user:root", everyTenant: "admin" })
      expect((yield* root.get("/metrics")).status).toBe(200)
      expect((yield* root.delete(archives)).status).toBe(200)
    })
  )

  it.effect("begins with a key, which is not stored, and ends when the key is revoked", () =>
    Effect.gen(function* () {
      const browser = yield* loggedIn()
      const { json: made } = yield* browser.post("/v1/mytenant/keys", { name: "console", role: "operator" })
      const other = yield* loggedIn({ key: made.key })
      const who = yield* other.session
      expect(who.json).toMatchObject({
        principal: `key:${made.id}`,
        scheme: "key",
        everyTenant: null,
        tenants: [{ name: "mytenant", role: "operator" }]
      })
      expect((yield* other.get(archives)).status).toBe(200)
      expect((yield* browser.delete(`/v1/mytenant/keys/${made.id}`)).status).toBe(204)
      const answer = yield* other.get(archives)
      expect(answer.json.detail).toBe("The session has ended: log in again")
      // Other requests with the key may pass for some seconds more.
      expect((yield* (yield* freshBrowser).logIn({ key: made.key })).status).toBe(401)
    })
  )

  it.effect("is not begun by wrong credentials, and no answer repeats them", () =>
    Effect.gen(function* () {
      const browser = yield* freshBrowser
      for (const wrong of [
        { user: "alice", password: "wrong-word" },
        { user: "nobody", password: "wrong-word" },
        { key: `fgk_00000000_${"w".repeat(43)}` },
        { key: "wrong-word" },
        { token: "wrong-word.wrong-word.wrong-word" }
      ]) {
        const answer = yield* browser.logIn(wrong)
        expect([wrong, answer.status, answer.cookies]).toEqual([wrong, 401, []])
        expect(answer.headers.get("www-authenticate")).toContain("Bearer")
        expect(answer.text).not.toMatch(/wrong-word|w{43}/)
      }
      for (const [malformed, pointer] of [
        [{}, ""],
        [{ user: "alice" }, ""],
        [{ ...alice, key: "fgk_" }, ""],
        [{ user: "alice", password: 987654321 }, "/password"],
        [{ user: "a:b", password }, "/user"],
        [{ token: "fgk_secret-word" }, "/token"],
        [{ usr: "alice", password: "secret-word" }, "/usr"],
        [["secret-word"], ""]
      ] as const) {
        const answer = yield* browser.logIn(malformed)
        expect([malformed, answer.status, answer.json.issues?.[0]?.pointer]).toEqual([malformed, 400, pointer])
        expect(answer.text).not.toMatch(/987654321|secret-word|correct horse/)
      }
      const large = yield* browser.logIn({ token: "x".repeat(40_000) })
      expect([large.status, large.json.type]).toEqual([413, "/problems/too-large"])
      const garbage = yield* Effect.promise(() =>
        browser.send("POST", "/console/session", { ...ownPage, "content-type": "application/json" }, "{secret-word")
      )
      expect([garbage.status, garbage.text.includes("secret-word")]).toEqual([400, false])
      expect(browser.jar.size).toBe(0)
    })
  )

  it.effect("ends at once when the user is gone or the password has changed, and has the roles of now", () =>
    Effect.gen(function* () {
      const browser = yield* loggedIn()
      const vera = yield* loggedIn({ user: "vera", password })
      const change = (roles: Record<string, string>, stored: string) =>
        replaceAccess(accessFile({ alice: { stored, roles }, root: { stored, roles: { "*": "admin" } } }))
      const { password: stored } = JSON.parse(file).users.alice
      yield* change({ othertenant: "viewer" }, stored)
      const hidden = yield* until(browser.get(archives), ({ status }) => status !== 200)
      expect([hidden.status, (yield* browser.get("/v1/othertenant/archives")).status]).toEqual([404, 200])
      expect((yield* vera.get(archives)).json.detail).toBe("The session has ended: log in again")
      yield* change({ mytenant: "admin" }, hashOf(password))
      // The same password with another salt is another stored password: somebody has set it again.
      const ended = yield* until(browser.get("/v1/othertenant/archives"), ({ status }) => status === 401)
      expect([ended.status, browser.jar.size]).toEqual([401, 0])
      yield* replaceAccess(file)
      yield* until((yield* freshBrowser).logIn({ user: "vera", password }), ({ status }) => status === 200)
    })
  )

  it.effect("counts for requests of the gateway's own pages only", () =>
    Effect.gen(function* () {
      const { url } = yield* TestGateway
      const own = new URL(url).origin
      const browser = yield* loggedIn()
      const send = (method: string, headers: Record<string, string>) =>
        Effect.map(
          Effect.promise(() => browser.send(method, archives, headers)),
          ({ status, cookies }) => [method, headers, status, cookies.length]
        )
      for (const [method, headers] of [
        ["DELETE", { "sec-fetch-site": "cross-site" }],
        ["DELETE", { "sec-fetch-site": "same-site" }],
        ["DELETE", { "sec-fetch-site": "none" }],
        ["DELETE", { origin: "http://evil.example" }],
        ["DELETE", { origin: "http://127.0.0.1:1" }],
        ["DELETE", { origin: "null" }],
        ["DELETE", {}],
        ["GET", { "sec-fetch-site": "same-site" }],
        ["GET", { "sec-fetch-site": "cross-site" }],
        ["GET", { origin: "http://127.0.0.1:1" }],
        ["GET", { accept: "text/event-stream" }]
      ] as const) {
        // A read has no problem of other sites: the cookie does not count, and the browser keeps it.
        expect(yield* send(method, headers)).toEqual([method, headers, method === "GET" ? 401 : 403, 0])
      }
      for (const [method, headers] of [
        ["DELETE", ownPage],
        ["DELETE", { origin: own }],
        ["DELETE", { "x-requested-with": "console" }],
        ["GET", { "sec-fetch-site": "none" }],
        ["GET", {}],
        ["GET", { origin: own }]
      ] as const) {
        expect(yield* send(method, headers)).toEqual([method, headers, 200, 0])
      }
      // Neither a form nor a simple request of another page logs anybody in or out.
      const form = { "content-type": "text/plain", "sec-fetch-site": "cross-site", origin: "http://evil.example" }
      const body = JSON.stringify(alice)
      const forged = yield* Effect.promise(() => new Browser(url).send("POST", "/console/session", form, body))
      expect([forged.status, forged.cookies]).toEqual([403, []])
      const old = yield* Effect.promise(() =>
        new Browser(url).send("POST", "/console/session", { "content-type": "text/plain" }, body)
      )
      expect([old.status, old.cookies]).toEqual([403, []])
      const typed = yield* Effect.promise(() =>
        new Browser(url).send("POST", "/console/session", { ...ownPage, "content-type": "text/plain" }, body)
      )
      expect(typed.status).toBe(415)
      const out = yield* browser.delete("/console/session", { "sec-fetch-site": "same-site" })
      expect([out.status, (yield* browser.get(archives)).status]).toEqual([403, 200])
    })
  )

  it.effect("gives way to another credential of the request", () =>
    Effect.gen(function* () {
      const browser = yield* loggedIn({ user: "vera", password })
      const authorization = basic("root", password)
      // Twice: the second time the gateway knows the password.
      for (let at = 0; at < 2; at++) {
        expect((yield* browser.get("/metrics", { authorization })).status).toBe(200)
        expect((yield* browser.get("/console/session", { authorization })).json.principal).toBe("user:root")
      }
      const wrong = yield* browser.get(archives, { authorization: basic("root", "wrong") })
      expect([wrong.status, wrong.cookies]).toEqual([401, []])
      expect((yield* browser.session).json.principal).toBe("user:vera")
    })
  )

  it.effect("has a new token after each login, whatever token the browser had", () =>
    Effect.gen(function* () {
      const { url } = yield* TestGateway
      const browser = yield* loggedIn({ user: "vera", password })
      const [name = ""] = browser.jar.keys()
      const former = new Browser(url, browser.jar)
      expect((yield* browser.logIn(alice)).json.principal).toBe("user:alice")
      expect(browser.jar.get(name)).not.toBe(former.jar.get(name))
      expect((yield* former.get(archives)).status).toBe(401)
      // A token that somebody else has put into the browser is not adopted.
      const fixed = "f".repeat(43)
      const victim = new Browser(url, new Map([[name, fixed]]))
      yield* victim.logIn(alice)
      expect(victim.jar.get(name)).not.toBe(fixed)
      expect((yield* new Browser(url, new Map([[name, fixed]])).get(archives)).status).toBe(401)
      // Of two with one name nobody knows which is whose.
      const token = victim.jar.get(name)
      const two = yield* new Browser(url).get(archives, { ...ownPage, cookie: `${name}=${fixed}; ${name}=${token}` })
      expect(two.status).toBe(401)
    })
  )

  it.effect("never asks the browser for a password of its own", () =>
    Effect.gen(function* () {
      const browser = yield* freshBrowser
      const challenge = (headers: Record<string, string>) =>
        Effect.map(browser.get(archives, headers), ({ headers }) => headers.get("www-authenticate") ?? "")
      expect(yield* challenge({})).toContain("Basic")
      expect(yield* challenge({ "x-requested-with": "console" })).toBe('Bearer realm="flow-gateway"')
      expect(yield* challenge(ownPage)).toBe('Bearer realm="flow-gateway"')
      expect(yield* challenge({ cookie: "flow-other=1" })).toContain("Basic")
    })
  )

  it.effect("has a secure cookie where the browser uses TLS", () =>
    Effect.gen(function* () {
      const { url } = yield* TestGateway
      const host = new URL(url).host
      const browser = yield* freshBrowser
      const answer = yield* browser.logIn(alice, { ...ownPage, origin: `https://${host}` })
      expect(answer.cookies).toEqual([
        expect.stringMatching(/^__Host-flow-[0-9a-f]{12}=[\w-]{43}; Path=\/; HttpOnly; Secure; SameSite=Strict$/)
      ])
      expect((yield* browser.get(archives)).status).toBe(200)
      expect([(yield* browser.delete("/console/session")).status, browser.jar.size]).toEqual([200, 0])
    })
  )
}

layer(guarded(file), { excludeTestServices: true })("a session in memory", suite)
layer(guardedGateway(file), { excludeTestServices: true })("a session on PostgreSQL", suite)

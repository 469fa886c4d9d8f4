import { expect, it, layer } from "@effect/vitest"
import { Effect } from "effect"
import { generateKeyPair } from "jose"
import { ownPageOf } from "../../src/layers/http/console/ConsoleLogin.ts"
import type { AuditEntry } from "../../src/services/audit/Entry.ts"
import { TestGateway } from "../support/gateway.ts"
import { clientSecret, type OidcIssuer } from "../support/oidcIssuer.ts"
import { until } from "../support/process.ts"
import { rawRequest } from "../support/socket.ts"
import { Browser, freshBrowser } from "./browser.ts"
import {
  beginning,
  begun,
  changed,
  expectFailure,
  fileOf,
  Issuer,
  loggedIn,
  password,
  placeOf,
  setting
} from "./oidc.ts"
import { basic, replaceAccess } from "./support.ts"

layer(setting, { excludeTestServices: true })("a login at an issuer", (it) => {
  it.effect("leads there and back, and gives the roles of the ID token's claims", () =>
    changed(
      (issuer) => {
        issuer.claims = { groups: ["flow"] }
      },
      Effect.gen(function* () {
        const issuer = yield* Issuer
        const { url } = yield* TestGateway
        const browser = yield* freshBrowser
        const { schemes } = (yield* browser.session).json
        expect(schemes).toEqual([
          { kind: "password" },
          { kind: "oidc", issuer: issuer.issuer, name: "Company login" },
          { kind: "key" },
          { kind: "token" }
        ])
        const first = yield* browser.get(beginning(issuer.issuer, { return: "flowlines/a?b=c" }))
        const [cookie = ""] = first.cookies
        expect(cookie).toMatch(/^flow-\w{12}-login-[\w-]{8}=[\w-]+; Max-Age=600; Path=\/; HttpOnly; SameSite=Lax$/)
        const asked = new URL(first.headers.get("location") ?? "")
        expect(Object.fromEntries(asked.searchParams)).toEqual({
          client_id: "console",
          code_challenge: expect.stringMatching(/^[\w-]{43}$/),
          code_challenge_method: "S256",
          nonce: expect.stringMatching(/^[\w-]{43}$/),
          redirect_uri: `${url}/console/login/oidc/callback`,
          response_type: "code",
          scope: "openid profile",
          state: expect.stringMatching(/^[\w-]{43}$/)
        })
        const back = issuer.authorize(asked.href)
        const answer = yield* browser.get(back, { "sec-fetch-site": "cross-site" })
        expect([answer.status, placeOf(back, answer)]).toEqual([302, "/console/flowlines/a?b=c"])
        // The login's cookie is removed, and the session's is strict.
        expect([...browser.jar.keys()]).toEqual([expect.stringMatching(/^flow-\w{12}$/)])
        expect(answer.cookies.find((one) => one.includes("Strict") && !one.includes("Max-Age=0"))).toContain("HttpOnly")
        expect((yield* browser.session).json).toMatchObject({
          principal: `token:${issuer.issuer}#carol`,
          scheme: "oidc",
          everyTenant: null,
          tenants: [{ name: "mytenant", role: "operator" }]
        })
        expect((yield* browser.get("/v1/mytenant/archives")).status).toBe(200)
        expect((yield* browser.delete("/v1/mytenant/archives")).status).toBe(403)
        // The gateway has shown the issuer who it is, and the verifier of the challenge.
        const { authorization, body } = issuer.exchanges.at(-1)!
        const encoded = (text: string) => new URLSearchParams({ a: text }).toString().slice(2)
        expect(authorization).toBe(`Basic ${Buffer.from(`console:${encoded(clientSecret)}`).toString("base64")}`)
        expect(body.get("code_verifier")).toMatch(/^[\w-]{43}$/)
        expect((yield* browser.delete("/console/session")).status).toBe(200)
      })
    )
  )

  it.effect("is refused when its answer is not the one that belongs to it", () =>
    Effect.gen(function* () {
      yield* changed(
        (issuer) => {
          issuer.claims = { groups: ["flow"] }
        },
        Effect.gen(function* () {
          const issuer = yield* Issuer
          const { url } = yield* TestGateway
          const victim = yield* freshBrowser
          const { back, answer } = yield* loggedIn(victim)
          expect(placeOf(back, answer)).toBe("/console/")
          // The same code again, with and without the cookie of the login.
          const again = yield* victim.get(back)
          expect(placeOf(back, again)).toBe("/console/login?problem=expired")
          const attacker = new Browser(url)
          const first = yield* begun(attacker)
          const kept = new Browser(url, attacker.jar)
          const used = issuer.authorize(first)
          expect(placeOf(used, yield* attacker.get(used))).toBe("/console/")
          expect(placeOf(used, yield* kept.get(used))).toBe("/console/login?problem=refused")
          expect((yield* kept.session).json.principal).toBe(null)
          // A code of somebody else's login, which this browser has not started.
          const other = new Browser(url)
          yield* begun(other)
          const foreign = issuer.authorize(yield* begun(new Browser(url)))
          expect(placeOf(foreign, yield* other.get(foreign))).toBe("/console/login?problem=expired")
          // This login's state with a code of somebody else's login.
          const mixed = new URL(issuer.authorize(yield* begun(other)))
          mixed.searchParams.set(
            "code",
            new URL(issuer.authorize(yield* begun(new Browser(url)))).searchParams.get("code")!
          )
          expect(placeOf(mixed.href, yield* other.get(mixed.href))).toBe("/console/login?problem=refused")
          expect((yield* other.session).json.principal).toBe(null)
          // A state that only starts like this login's.
          const altered = new URL(issuer.authorize(yield* begun(other)))
          const state = altered.searchParams.get("state") ?? ""
          altered.searchParams.set("state", `${state.slice(0, 8)}${"x".repeat(35)}`)
          expect(placeOf(altered.href, yield* other.get(altered.href))).toBe("/console/login?problem=refused")
        })
      )
      for (const [name, change] of [
        ["nonce", (issuer) => (issuer.claims = { nonce: "other" })],
        ["no nonce", (issuer) => (issuer.claims = { nonce: undefined })],
        ["expired", (issuer) => (issuer.claims = { exp: Math.floor(Date.now() / 1000) - 60 })],
        ["audience", (issuer) => (issuer.claims = { aud: "flow" })],
        ["issuer", (issuer) => (issuer.claims = { iss: "https://other.example" })],
        ["subject", (issuer) => (issuer.claims = { sub: "" })],
        ["large", (issuer) => (issuer.claims = { groups: ["flow", "x".repeat(20_000)] })]
      ] as ReadonlyArray<readonly [string, (issuer: OidcIssuer) => unknown]>) {
        yield* Effect.annotateLogs(
          expectFailure("refused", (issuer) => void change(issuer)),
          { name }
        )
      }
      const { privateKey } = yield* Effect.promise(() => generateKeyPair("ES256"))
      yield* expectFailure("refused", (issuer) => {
        issuer.signer = privateKey
      })
      yield* expectFailure("denied", (issuer) => {
        issuer.denial = "access_denied"
      })
    })
  )

  it.effect("is not needed with a token, whose session ends with it", () =>
    Effect.gen(function* () {
      const issuer = yield* Issuer
      const browser = yield* freshBrowser
      const claims = { aud: "flow", groups: ["flow"] }
      const token = yield* Effect.promise(() => issuer.sign(claims))
      const answer = yield* browser.logIn({ token })
      expect(answer.json).toMatchObject({ principal: `token:${issuer.issuer}#carol`, scheme: "token" })
      expect(Date.parse(answer.json.endsAt) - Date.now()).toBeLessThan(331_000)
      expect((yield* browser.get("/v1/mytenant/archives")).status).toBe(200)
      // Clocks may differ by 30 seconds.
      const ending = { ...claims, exp: Math.floor(Date.now() / 1000) - 28 }
      const short = yield* Effect.promise(() => issuer.sign(ending))
      expect((yield* browser.logIn({ token: short })).status).toBe(200)
      const over = yield* until(browser.get("/v1/mytenant/archives"), ({ status }) => status === 401)
      expect(over.json.detail).toContain("has ended")
      // A token for the gateway as a client of the issuer is none for its API.
      const login = yield* Effect.promise(() => issuer.sign({ ...claims, aud: "console" }))
      expect((yield* browser.logIn({ token: login })).status).toBe(401)
    })
  )

  it.effect("leads to pages of the console only, below whatever prefix", () =>
    Effect.gen(function* () {
      const { url } = yield* TestGateway
      const issuer = yield* Issuer
      for (const evil of [
        "https://evil.example/",
        "//evil.example/",
        "/\\evil.example",
        "../../../evil",
        "..%2f..%2fevil",
        "javascript:alert(1)",
        "\t//evil.example",
        "/v1/mytenant/archives"
      ]) {
        const { back, answer } = yield* loggedIn(yield* freshBrowser, { return: evil })
        const place = new URL(answer.headers.get("location") ?? "", back)
        expect([evil, place.origin, place.pathname.startsWith("/console/")]).toEqual([evil, url, true])
      }
      const { host } = new URL(url)
      const browser = yield* freshBrowser
      const asked = new URL(yield* begun(browser, { at: `https://${host}/flow/` }))
      expect(asked.searchParams.get("redirect_uri")).toBe(`https://${host}/flow/console/login/oidc/callback`)
      expect([...browser.jar.keys()]).toEqual([expect.stringMatching(/^__Host-flow-\w{12}-login-/)])
      // As a proxy hands it on, without its prefix.
      const { search } = new URL(issuer.authorize(asked.href))
      const answer = yield* browser.get(`/console/login/oidc/callback${search}`)
      expect(placeOf(`https://${host}/flow/console/login/oidc/callback`, answer)).toBe("/flow/console/")
      expect([...browser.jar.keys()]).toEqual([expect.stringMatching(/^__Host-flow-\w{12}$/)])
      for (const at of ["https://evil.example/", "http://127.0.0.1:1/", "javascript:alert(1)", "/flow/", "x"]) {
        const refused = yield* (yield* freshBrowser).get(beginning(issuer.issuer, { at }))
        expect([at, refused.status, refused.cookies]).toEqual([at, 400, []])
      }
      const forced = yield* browser.get(beginning(issuer.issuer), { "sec-fetch-site": "cross-site" })
      expect([forced.status, forced.json.type]).toEqual([403, "/problems/foreign-origin"])
    })
  )

  it.effect("begins where a proxy writes the usual port into the host", () =>
    Effect.gen(function* () {
      const port = Number(new URL((yield* TestGateway).url).port)
      const { issuer } = yield* Issuer
      for (const [host, at, status] of [
        ["localhost:443", "https://localhost/", 302],
        ["localhost:80", "http://localhost/", 302],
        ["localhost:443", "http://localhost/", 400]
      ] as const) {
        const ask = () => rawRequest(port, "GET", beginning(issuer, { at }), { Host: host })
        expect([host, at, (yield* Effect.promise(ask)).status]).toEqual([host, at, status])
      }
    })
  )

  it.effect("keeps few cookies, however often it is begun", () =>
    Effect.gen(function* () {
      const browser = yield* freshBrowser
      for (let at = 0; at < 8; at++) yield* begun(browser)
      expect(browser.jar.size).toBeLessThanOrEqual(4)
      // Those that are left still lead to an end.
      const { answer, back } = yield* loggedIn(browser)
      expect(placeOf(back, answer)).toBe("/console/")
    })
  )

  it.effect("gives a session whose rights follow the access file", () =>
    changed(
      (issuer) => {
        issuer.claims = { groups: ["flow"] }
      },
      Effect.gen(function* () {
        const issuer = yield* Issuer
        const browser = yield* freshBrowser
        yield* loggedIn(browser)
        const archives = browser.get("/v1/mytenant/archives")
        expect((yield* archives).status).toBe(200)
        const rule = { claim: "groups", value: "flow", tenant: "othertenant", role: "viewer" }
        yield* replaceAccess(fileOf(issuer, {}, { roles: [rule] }))
        yield* until(archives, ({ status }) => status === 404)
        expect((yield* browser.get("/v1/othertenant/archives")).status).toBe(200)
        yield* replaceAccess(fileOf(issuer, { clientId: "another" }))
        expect((yield* until(archives, ({ status }) => status === 401)).json.detail).toContain("has ended")
        yield* replaceAccess(fileOf(issuer))
        yield* until(
          Effect.flatMap(freshBrowser, (browser) => Effect.andThen(loggedIn(browser), browser.session)),
          ({ json }) => json.principal !== null
        )
      })
    )
  )

  it.effect("is in the audit, and a failed one, too", () =>
    Effect.gen(function* () {
      const browser = yield* freshBrowser
      const read = Effect.map(
        browser.get("/v1/platform/audit?action=sessions.begin", { authorization: basic("root", password) }),
        ({ json }) => json as ReadonlyArray<AuditEntry>
      )
      const rows = yield* until(read, (all) => all.some(({ outcome }) => outcome === "refused"))
      expect(rows.find(({ outcome }) => outcome === "done")).toMatchObject({ method: "bearer", target: "oidc" })
      expect(rows.find(({ outcome }) => outcome === "refused")).toMatchObject({
        principal: "unauthenticated",
        target: "/console/login/oidc/callback",
        status: 401
      })
    })
  )

  it.effect("is slowed when too many have failed", () =>
    Effect.gen(function* () {
      const issuer = yield* Issuer
      const tries = Effect.gen(function* () {
        const browser = yield* freshBrowser
        const asked = yield* browser.get(beginning(issuer.issuer))
        const place = asked.headers.get("location") ?? ""
        if (place.includes("problem=busy")) return "busy"
        const back = issuer.authorize(place)
        return new URL((yield* browser.get(back)).headers.get("location") ?? "", back).searchParams.get("problem")
      })
      const seen = yield* changed(
        (issuer) => {
          issuer.denial = "access_denied"
        },
        until(tries, (reason) => reason === "busy")
      )
      expect(seen).toBe("busy")
    })
  )
})

it("any text returns to a page of the console", () => {
  expect(ownPageOf("flowlines/web-logs?x=1")).toBe("flowlines/web-logs?x=1")
  expect(ownPageOf("")).toBe("")
  expect(ownPageOf("x".repeat(3000))).toBe("")
})

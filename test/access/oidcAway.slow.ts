import type { RequestListener } from "node:http"
import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { exportJWK, generateKeyPair } from "jose"
import type { OidcIssuer } from "../support/oidcIssuer.ts"
import { until } from "../support/process.ts"
import { accessFile } from "./accessFiles.ts"
import { freshBrowser } from "./browser.ts"
import { beginning, begun, changed, expectFailure, fileOf, Issuer, loggedIn, placeOf, root, setting } from "./oidc.ts"
import { replaceAccess } from "./support.ts"

layer(setting, { excludeTestServices: true })("a login at an issuer that does not answer as one", (it) => {
  it.effect(
    "goes on when the issuer has another address for tokens, or another key by the name of the former one",
    () =>
      Effect.gen(function* () {
        const login = Effect.gen(function* () {
          const { back, answer } = yield* loggedIn(yield* freshBrowser)
          return placeOf(back, answer)
        })
        const succeeds = until(login, (place) => place === "/console/")
        yield* succeeds
        const moved = (issuer: OidcIssuer) => {
          issuer.tokenPath = "/oauth/token"
        }
        yield* changed(
          moved,
          Effect.gen(function* () {
            expect(yield* login).toBe("/console/login?problem=unreachable")
            yield* succeeds
          })
        )
        yield* succeeds
        const { issuer } = yield* Issuer
        const { key, jwk } = yield* Effect.promise(async () => {
          const published: { keys: [{ kid: string }] } = JSON.parse(await (await fetch(`${issuer}/keys`)).text())
          const { privateKey, publicKey } = await generateKeyPair("ES256", { extractable: true })
          return { key: privateKey, jwk: { ...(await exportJWK(publicKey)), kid: published.keys[0].kid } }
        })
        const rotated = (issuer: OidcIssuer) => {
          issuer.signer = key
          issuer.instead.set("/keys", (_, response) => {
            response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ keys: [jwk] }))
          })
        }
        yield* changed(
          rotated,
          Effect.gen(function* () {
            expect(yield* login).toBe("/console/login?problem=refused")
            yield* succeeds
          })
        )
        yield* succeeds
      })
  )

  it.effect("ends at a page that says so when the issuer is away, slow, or answers with anything else", () =>
    Effect.gen(function* () {
      const endless: RequestListener = (_, response) => {
        response.writeHead(200, { "content-type": "application/json" })
        const more = () => {
          while (!response.destroyed && response.write(" ".repeat(65_536)));
        }
        response.on("drain", more)
        more()
      }
      const answers: Readonly<Record<string, RequestListener>> = {
        garbage: (_, response) => void response.end("<html>"),
        failing: (_, response) => void response.writeHead(500).end(),
        redirecting: (_, response) => void response.writeHead(302, { location: "http://127.0.0.1:1/" }).end(),
        endless,
        closed: (request) => void request.socket.destroy(),
        silent: () => {}
      }
      for (const [, answer] of Object.entries(answers)) {
        yield* expectFailure("unreachable", ({ instead }) => void instead.set("/token", answer))
      }
      // Without its keys nothing that it signs can be believed.
      const { issuer } = yield* Issuer
      const fresh = yield* freshBrowser
      const unknown = yield* fresh.get(beginning("https://nobody.example"))
      expect(placeOf(`${issuer}/console/login/oidc`, unknown)).toBe("/console/login?problem=unknown")
    })
  )

  it.effect("is not begun while the issuer cannot say what it is", () =>
    Effect.gen(function* () {
      const issuer = yield* Issuer
      const discovery = "/.well-known/openid-configuration"
      const json =
        (body: unknown): RequestListener =>
        (_, response) =>
          void response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body))
      const about = {
        issuer: issuer.issuer,
        token_endpoint: `${issuer.issuer}/token`,
        jwks_uri: `${issuer.issuer}/keys`
      }
      const answers: ReadonlyArray<readonly [string, RequestListener]> = [
        ["garbage", (_, response) => void response.end("<html>")],
        [
          "of another",
          json({ ...about, issuer: "https://other.example", authorization_endpoint: "https://x.example" })
        ],
        ["without a page", json(about)],
        ["a page of no web", json({ ...about, authorization_endpoint: "javascript:alert(1)" })],
        ["closed", (request) => void request.socket.destroy()],
        ["silent", () => {}]
      ]
      const { issuers } = JSON.parse(fileOf(issuer))
      const others = answers.map(([name, answer]) => {
        const path = `/${name.replaceAll(" ", "-")}`
        issuer.instead.set(path + discovery, answer)
        return { ...issuers[0], issuer: issuer.issuer + path }
      })
      const secretless = { ...issuers[0].login, clientSecret: { env: "FLOW_TEST_NONE" } }
      others.push({ ...issuers[0], issuer: `${issuer.issuer}/secretless`, login: secretless })
      yield* replaceAccess(accessFile(root, { issuers: [issuers[0], ...others] }))
      const browser = yield* freshBrowser
      yield* until(browser.session, ({ json }) => json.schemes.length > 4)
      for (const { issuer: name } of others) {
        const ended = yield* browser.get(beginning(name))
        const place = ended.headers.get("location")
        expect([name, ended.status, place]).toEqual([name, 302, "../login?problem=unreachable"])
      }
      issuer.instead.clear()
      expect(browser.jar.size).toBe(0)
      expect(yield* begun(browser)).toContain("/authorize?")
      yield* replaceAccess(fileOf(issuer))
      yield* until(browser.session, ({ json }) => json.schemes.length === 4)
    })
  )
})

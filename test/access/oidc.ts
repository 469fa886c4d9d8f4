import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { gateway, temporaryFolder } from "../support/gateway.ts"
import { clientSecret, type OidcIssuer, startOidcIssuer } from "../support/oidcIssuer.ts"
import { accessFile, hashOf } from "./accessFiles.ts"
import { type Browser, freshBrowser, type Got } from "./browser.ts"

/** The issuer of a test's gateway. */
export class Issuer extends Context.Service<Issuer, OidcIssuer>()("test/OidcIssuer") {}

export const password = "correct horse"
const stored = hashOf(password)
export const root = { root: { stored, roles: { "*": "admin" } } }

export const fileOf = ({ issuer }: OidcIssuer, login: object = {}, more: object = {}, path = "secret") =>
  accessFile(root, {
    issuers: [
      {
        issuer,
        audience: "flow",
        login: { clientId: "console", clientSecret: { file: path }, name: "Company login", scope: "profile", ...login },
        roles: [
          { claim: "groups", value: "flow", tenant: "mytenant", role: "operator" },
          { claim: "groups", value: "admins", tenant: "*", role: "admin" }
        ],
        ...more
      }
    ]
  })

export const setting = Layer.unwrap(
  Effect.gen(function* () {
    const issuer = yield* startOidcIssuer()
    const folder = yield* temporaryFolder
    writeFileSync(join(folder, "secret"), `${clientSecret}\n`)
    const auth = join(folder, "access.yaml")
    writeFileSync(auth, fileOf(issuer))
    return Layer.provideMerge(gateway({ auth, outbound: [issuer.host] }), Layer.succeed(Issuer, issuer))
  })
)

export const beginning = (issuer: string, more: Record<string, string> = {}) =>
  `/console/login/oidc?${new URLSearchParams({ issuer, ...more })}`

/** The address of the issuer to which the gateway sends the browser. */
export const begun = Effect.fnUntraced(function* (browser: Browser, more: Record<string, string> = {}) {
  const { issuer } = yield* Issuer
  const answer = yield* browser.get(beginning(issuer, more))
  expect([answer.status, answer.text]).toEqual([302, ""])
  return answer.headers.get("location") ?? ""
})

/** The whole way: to the issuer, and back to the gateway's callback. */
export const loggedIn = Effect.fnUntraced(function* (browser: Browser, more: Record<string, string> = {}) {
  const issuer = yield* Issuer
  const back = issuer.authorize(yield* begun(browser, more))
  return { back, answer: yield* browser.get(back, { "sec-fetch-site": "cross-site" }) }
})

/** Where the answer leads, seen from the callback. */
export const placeOf = (back: string, { headers }: Got) => {
  const { pathname, search } = new URL(headers.get("location") ?? "", back)
  return pathname + search
}

/** Sets the issuer back after a test has changed it. */
export const changed = <A, E, R>(change: (issuer: OidcIssuer) => void, test: Effect.Effect<A, E, R>) =>
  Effect.flatMap(Issuer, (issuer) =>
    Effect.acquireUseRelease(
      Effect.sync(() => change(issuer)),
      () => test,
      () =>
        Effect.sync(() => {
          issuer.claims = { groups: ["flow"] }
          issuer.signer = undefined
          issuer.tokenPath = "/token"
          issuer.denial = undefined
          issuer.instead.clear()
        })
    )
  )

/** The login ends at the console's page for this failure, without a session. */
export const expectFailure = (reason: string, change: (issuer: OidcIssuer) => void) =>
  changed(
    change,
    Effect.gen(function* () {
      const browser = yield* freshBrowser
      const { back, answer } = yield* loggedIn(browser)
      expect([answer.status, placeOf(back, answer)]).toEqual([302, `/console/login?problem=${reason}`])
      expect([...browser.jar.keys()]).toEqual([])
      return { back, answer }
    })
  )

import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert } from "@effect/vitest"
import { Context, Effect, Layer, type Scope } from "effect"
import type { Browser, BrowserContext, Page } from "playwright-core"
import { accessFile, hashOf } from "../access/accessFiles.ts"
import { type OidcIssuer, startOidcIssuer } from "../support/oidcIssuer.ts"
import { type Running, type Site, site, temporary } from "../support/process-gateway.ts"
import { launched, listen } from "./support.ts"

export const password = "correct horse"
const stored = hashOf(password)
export const hostile = "<img src=x onerror=alert(1)>"
export const users = {
  alice: { stored, roles: { mytenant: "admin", othertenant: "viewer" } },
  vera: { stored, roles: { othertenant: "viewer" } },
  viewer: { stored, roles: { mytenant: "viewer" } },
  operator: { stored, roles: { mytenant: "operator" } },
  developer: { stored, roles: { mytenant: "developer" } },
  admin: { stored, roles: { mytenant: "admin" } },
  owner: { stored, roles: { "*": "admin" } },
  nobody: { stored, roles: {} },
  [hostile]: { stored, roles: { mytenant: "viewer" } }
}

export class Setting extends Context.Service<
  Setting,
  {
    readonly browser: Browser
    readonly issuer: OidcIssuer
    readonly site: Site
    readonly gateway: Running
    readonly auth: string
    readonly fileOf: (who: object) => string
  }
>()("test/console/Login") {}

export const settingWith = (variables: Effect.Effect<Readonly<Record<string, string>>, never, Scope.Scope>) =>
  Layer.effect(
    Setting,
    Effect.gen(function* () {
      const browser = yield* launched
      const issuer = yield* startOidcIssuer()
      issuer.claims = { groups: ["flow"] }
      const auth = join(yield* temporary, "access.yaml")
      const issuers = [
        {
          issuer: issuer.issuer,
          audience: "flow",
          login: { clientId: "console", name: `Company ${hostile}` },
          roles: [{ claim: "groups", value: "flow", tenant: "mytenant", role: "operator" }]
        }
      ]
      const fileOf = (who: object) => accessFile(who as typeof users, { issuers })
      writeFileSync(auth, fileOf(users))
      const more = yield* variables
      const place = yield* site({ variables: { FLOW_AUTH: auth, FLOW_OUTBOUND_ALLOW: issuer.host, ...more } })
      const gateway = yield* Effect.promise(() => place.start())
      return Setting.of({ browser, issuer, site: place, gateway, auth, fileOf })
    })
  )

export const setting = settingWith(Effect.succeed({}))

/** Opens a page, and records its complaints. */
export const visit = async (context: BrowserContext, url: string, complaints: Array<string> = []): Promise<Page> => {
  const page = await context.newPage()
  listen(page, complaints)
  await page.goto(url)
  return page
}

export const dialogOf = (page: Page) => page.getByRole("dialog", { name: /^Log in/ })

/** Logs in by mouse. */
export const logIn = async (page: Page, user = "alice", given = password) => {
  const dialog = dialogOf(page)
  await dialog.getByLabel("Name", { exact: true }).fill(user)
  await dialog.getByLabel("Password", { exact: true }).fill(given)
  await dialog.getByRole("button", { name: "Log in", exact: true }).click()
}

/** Logs out by mouse, and waits for the reloaded page: until then, the old page would receive what is typed. */
export const logOut = async (page: Page) => {
  await account(page).click()
  await Promise.all([page.waitForEvent("load"), page.getByRole("button", { name: "Log out" }).click()])
  await dialogOf(page).waitFor()
}

export const account = (page: Page) => page.getByRole("button", { name: /^User/ })

/** Ends all sessions of a browser context without its pages. */
export const endSession = async (context: BrowserContext, url: string) => {
  const answer = await context.request.delete(`${url}/console/session`, { headers: { "x-requested-with": "test" } })
  assert.strictEqual(answer.status(), 200)
}

export const focused = (page: Page) => page.evaluate(() => document.activeElement?.getAttribute("name") ?? "")

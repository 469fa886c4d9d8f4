import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { eventually } from "../support/process.ts"
import {
  account,
  dialogOf,
  endSession,
  focused,
  hostile,
  logIn,
  logOut,
  password,
  Setting,
  setting,
  visit
} from "./login.ts"
import { escape, fill, rate, soon } from "./support.ts"

layer(setting, { excludeTestServices: true })("the login of the console", (it) => {
  it.effect("comes first, by keyboard alone, and what was asked for comes after it", () =>
    Effect.gen(function* () {
      const { browser, gateway } = yield* Setting
      yield* Effect.promise(async () => {
        const context = await browser.newContext()
        const complaints: Array<string> = []
        const asked: Array<string> = []
        context.on("request", (request) => void asked.push(new URL(request.url()).pathname))
        const page = await visit(context, `${gateway.url}/console/`, complaints)
        await dialogOf(page).waitFor()
        // No request is sent in vain, so the browser does not open its own password dialog.
        assert.deepStrictEqual(
          asked.filter((path) => path.startsWith("/v1")),
          []
        )
        await page.keyboard.press("Escape")
        await page.keyboard.press("Escape")
        // The issuer's button, the choice of the scheme, the name.
        await page.keyboard.press("Tab")
        await page.keyboard.press("Tab")
        await soon(async () => assert.strictEqual(await focused(page), "user"))
        await page.keyboard.type("alice")
        await page.keyboard.press("Tab")
        await page.keyboard.type("wrong")
        await page.keyboard.press("Enter")
        await dialogOf(page).getByRole("alert").filter({ hasText: "The name or the password is wrong." }).waitFor()
        await soon(async () => assert.strictEqual(await focused(page), "password"))
        await page.keyboard.type(password)
        await page.keyboard.press("Enter")
        await rate(page).filter({ hasText: "3 of 4 lines match" }).waitFor()
        await dialogOf(page).waitFor({ state: "detached" })
        await account(page).focus()
        await page.keyboard.press("Enter")
        const dialog = page.getByRole("dialog", { name: "User" })
        await dialog.getByText("user:alice").waitFor()
        await dialog.getByText("admin: mytenant").waitFor()
        await dialog.getByText("viewer: othertenant").waitFor()
        await escape(page, dialog)
        await page.getByRole("button", { name: /^Tenant mytenant/ }).press("Enter")
        await page.getByRole("dialog", { name: "Tenant" }).getByLabel("Search").waitFor()
        await page.keyboard.type("OTHER")
        await page.keyboard.press("Enter")
        await page.getByRole("button", { name: /^Tenant othertenant/ }).waitFor()
        await page.getByRole("dialog", { name: "Tenant" }).waitFor({ state: "detached" })
        await account(page).press("Enter")
        await Promise.all([page.waitForEvent("load"), dialog.getByRole("button", { name: "Log out" }).press("Enter")])
        await dialogOf(page).waitFor()
        // The reloaded page shows nothing of the previous session.
        assert.strictEqual(await rate(page).count(), 0)
        assert.deepStrictEqual(await context.cookies(), [])
        assert.notInclude(JSON.stringify(await page.evaluate(() => ({ ...localStorage }))), password)
        assert.deepStrictEqual(complaints, [])
        await context.close()
      })
    })
  )

  it.effect("lies above the page when the session has ended, which goes on after it", () =>
    Effect.gen(function* () {
      const { browser, gateway } = yield* Setting
      yield* Effect.promise(async () => {
        const context = await browser.newContext()
        const page = await visit(context, `${gateway.url}/console/`)
        await logIn(page)
        await rate(page).filter({ hasText: "3 of 4 lines match" }).waitFor()
        await endSession(context, gateway.url)
        await fill(page, /^Grok patterns/, "%{GREEDYDATA:all}")
        await dialogOf(page).getByText("Your session has ended").waitFor()
        await logIn(page)
        await dialogOf(page).waitFor({ state: "detached" })
        // The refused call is repeated: nobody has to type again.
        await rate(page).filter({ hasText: "4 of 4 lines match" }).waitFor()
        await context.close()
      })
    })
  )

  it.effect("is one for all tabs, and so is the logout", () =>
    Effect.gen(function* () {
      const { browser, gateway } = yield* Setting
      yield* Effect.promise(async () => {
        const context = await browser.newContext()
        const one = await visit(context, `${gateway.url}/console/`)
        const other = await visit(context, `${gateway.url}/console/`)
        await dialogOf(other).waitFor()
        await logIn(one)
        await rate(one).waitFor()
        await dialogOf(other).waitFor({ state: "detached" })
        await rate(other).filter({ hasText: "3 of 4 lines match" }).waitFor()
        await logOut(one)
        await dialogOf(other).getByText("Your session has ended").waitFor()
        await logIn(other)
        await rate(other).filter({ hasText: "3 of 4 lines match" }).waitFor()
        await dialogOf(one).waitFor({ state: "detached" })
        await context.close()
      })
    })
  )

  it.effect("at an issuer comes back to the address that was asked for, its fragment included", () =>
    Effect.gen(function* () {
      const { browser, gateway, issuer } = yield* Setting
      yield* Effect.promise(async () => {
        const context = await browser.newContext()
        const complaints: Array<string> = []
        const page = await visit(context, `${gateway.url}/console/`, complaints)
        await logIn(page)
        await rate(page).waitFor()
        await fill(page, /^Grok patterns/, "%{GREEDYDATA:all}")
        await rate(page).filter({ hasText: "4 of 4 lines match" }).waitFor()
        await eventually("the fragment", () => page.url().includes("#"))
        const address = page.url()
        const fresh = await browser.newContext()
        const linked = await visit(fresh, address, complaints)
        const button = dialogOf(linked).getByRole("link", { name: /^Log in at Company/ })
        // Hostile names are shown as text.
        assert.include(await button.textContent(), hostile)
        issuer.denial = "access_denied"
        await button.click()
        await dialogOf(linked).getByText("The issuer has refused the login.").waitFor()
        issuer.denial = undefined
        await button.click()
        await rate(linked).filter({ hasText: "4 of 4 lines match" }).waitFor()
        await account(linked).filter({ hasText: "carol" }).waitFor()
        // During work the login opens another tab, and this page continues.
        await endSession(fresh, gateway.url)
        await fill(linked, /^Grok patterns/, "%{NOTSPACE:first}%{GREEDYDATA:rest}")
        const tab = fresh.waitForEvent("page")
        await dialogOf(linked)
          .getByRole("link", { name: /^Log in at Company/ })
          .click()
        const there = await tab
        await there.getByText("You can close this page").waitFor()
        await dialogOf(linked).waitFor({ state: "detached" })
        await rate(linked).filter({ hasText: "4 of 4 lines match" }).waitFor()
        assert.deepStrictEqual(complaints, [])
        await Promise.all([context.close(), fresh.close()])
      })
    })
  )
})

import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { replaceFile } from "../access/accessFiles.ts"
import { eventually } from "../support/process.ts"
import {
  account,
  dialogOf,
  endSession,
  hostile,
  logIn,
  logOut,
  password,
  Setting,
  setting,
  users,
  visit
} from "./login.ts"
import { escape, fill, isWide, rate, violations } from "./support.ts"

layer(setting, { excludeTestServices: true })("the readers of the console", (it) => {
  it.effect("takes keys and tokens, too", () =>
    Effect.gen(function* () {
      const { browser, gateway, issuer } = yield* Setting
      yield* Effect.promise(async () => {
        const context = await browser.newContext()
        const authorization = `Basic ${Buffer.from(`alice:${password}`).toString("base64")}`
        const made = await context.request.post(`${gateway.url}/v1/mytenant/keys`, {
          headers: { authorization },
          data: { name: "a", role: "viewer" }
        })
        const { key, id } = (await made.json()) as { readonly key: string; readonly id: string }
        const page = await visit(context, `${gateway.url}/console/`)
        await dialogOf(page).getByLabel("API key").check()
        await dialogOf(page).getByRole("textbox", { name: "API key" }).fill("fgk_wrong")
        await page.keyboard.press("Enter")
        await dialogOf(page).getByText("The gateway does not accept this key").waitFor()
        await dialogOf(page).getByRole("textbox", { name: "API key" }).fill(key)
        await page.keyboard.press("Enter")
        await account(page).filter({ hasText: id }).waitFor()
        await logOut(page)
        await dialogOf(page).getByLabel("Token", { exact: true }).check()
        const token = await issuer.sign({ aud: "flow", groups: ["flow"] })
        await dialogOf(page).getByRole("textbox", { name: "Token" }).fill(token)
        await page.keyboard.press("Enter")
        await account(page).filter({ hasText: "carol" }).waitFor()
        await rate(page).waitFor()
        await context.close()
      })
    })
  )

  it.effect("has room in its head for the pages and the tenant, beside the name of the reader", () =>
    Effect.gen(function* () {
      const { browser, gateway } = yield* Setting
      yield* Effect.promise(async () => {
        const context = await browser.newContext()
        const page = await visit(context, `${gateway.url}/console/`)
        await logIn(page)
        const tenant = page.getByRole("button", { name: "Tenant mytenant" })
        const last = page.getByRole("link", { name: "Administration" })
        for (const width of [1090, 1280, 1400, 1440]) {
          await page.setViewportSize({ width, height: 800 })
          const isWhole = await tenant.evaluate(({ scrollWidth, clientWidth }) => scrollWidth <= clientWidth)
          const { x: end } = (await page.getByRole("button", { name: /^Tenant/ }).boundingBox())!
          const { x, width: wide } = (await last.boundingBox())!
          assert.deepStrictEqual([width, isWhole, x + wide <= end], [width, true, true])
          assert.isFalse(await isWide(page))
        }
        await context.close()
      })
    })
  )

  it.effect("gives each reader the own tenants only", () =>
    Effect.gen(function* () {
      const { browser, gateway } = yield* Setting
      yield* Effect.promise(async () => {
        const context = await browser.newContext()
        const complaints: Array<string> = []
        const page = await visit(context, `${gateway.url}/console/`, complaints)
        await logIn(page)
        await page.getByRole("button", { name: /^Tenant mytenant/ }).waitFor()
        await logOut(page)
        // The next reader must not see the previous reader's choice.
        await logIn(page, "vera")
        await page.getByRole("button", { name: /^Tenant othertenant/ }).click()
        const rows = page.getByRole("dialog", { name: "Tenant" }).getByRole("listitem")
        await rows.first().waitFor()
        assert.deepStrictEqual(await rows.allTextContents(), ["othertenantviewer"])
        await escape(page, page.getByRole("dialog", { name: "Tenant" }))
        // A colleague's link is not shown as if it were of an own tenant.
        const linked = await visit(context, `${gateway.url}/console/flowlines?tenant=mytenant`, complaints)
        await linked.getByRole("heading", { name: "You may not see the tenant of this address" }).waitFor()
        await linked.getByText("the tenant mytenant").waitFor()
        assert.deepStrictEqual(await violations(linked), [])
        await linked.close()
        await logOut(page)
        await logIn(page, "nobody")
        await page.getByRole("heading", { name: "There is no tenant for you yet" }).waitFor()
        assert.deepStrictEqual(await violations(page), [])
        await logOut(page)
        await logIn(page, hostile)
        await account(page).filter({ hasText: hostile }).waitFor()
        assert.deepStrictEqual(complaints, [])
        await context.close()
      })
    })
  )

  it.effect("keeps an open form when the session ends, and shows what it has made after the login", () =>
    Effect.gen(function* () {
      const { browser, gateway } = yield* Setting
      yield* Effect.promise(async () => {
        const context = await browser.newContext()
        const page = await visit(context, `${gateway.url}/console/admin/keys`)
        await logIn(page)
        await page.getByRole("button", { name: "Make a key" }).first().click()
        const form = page.getByRole("dialog", { name: "Make a key" })
        await form.getByRole("textbox", { name: "Name" }).fill("late")
        await endSession(context, gateway.url)
        await form.getByRole("button", { name: "Make a key" }).click()
        await dialogOf(page).getByText("Your session has ended").waitFor()
        await logIn(page)
        // The key is shown this once only.
        await page.getByRole("dialog", { name: "late" }).getByRole("textbox").waitFor()
        await context.close()
      })
    })
  )

  for (const colorScheme of ["light", "dark"] as const) {
    it.effect(`has no fault that axe knows, in ${colorScheme} colours, wide and narrow`, () =>
      Effect.gen(function* () {
        const { browser, gateway } = yield* Setting
        yield* Effect.promise(async () => {
          const context = await browser.newContext({ colorScheme })
          const page = await visit(context, `${gateway.url}/console/login?problem=denied`)
          await dialogOf(page).waitFor()
          const isWhole = async () => {
            assert.deepStrictEqual(await violations(page), [])
            await page.setViewportSize({ width: 360, height: 740 })
            assert.deepStrictEqual(await violations(page), [])
            assert.isAtMost(await page.evaluate(() => document.documentElement.scrollWidth), 360)
            await page.setViewportSize({ width: 1280, height: 860 })
          }
          await isWhole()
          await logIn(page, "alice", "wrong")
          await dialogOf(page).getByText("The name or the password is wrong.").waitFor()
          await isWhole()
          await logIn(page)
          await page.getByText("You are logged in").waitFor()
          await isWhole()
          await account(page).click()
          await page.getByRole("dialog", { name: "User" }).getByText("user:alice").waitFor()
          await isWhole()
          await escape(page, page.getByRole("dialog", { name: "User" }))
          await page.getByRole("button", { name: /^Tenant/ }).click()
          await page.getByRole("dialog", { name: "Tenant" }).waitFor()
          await isWhole()
          await context.close()
        })
      })
    )
  }

  it.effect("waits for a gateway that is away, and the access file ends a session at once", () =>
    Effect.gen(function* () {
      const { auth, browser, fileOf, gateway, site } = yield* Setting
      yield* Effect.promise(async () => {
        const context = await browser.newContext()
        const page = await visit(context, `${gateway.url}/console/`)
        await dialogOf(page).waitFor()
        await gateway.kill("SIGKILL")
        await logIn(page)
        await dialogOf(page).getByText("The gateway does not answer").waitFor()
        await site.start({ FLOW_PORT: String(gateway.port) })
        // The typed text is still present.
        await dialogOf(page).getByRole("button", { name: "Log in", exact: true }).click()
        await rate(page).filter({ hasText: "3 of 4 lines match" }).waitFor()
        const { alice: _, ...others } = users
        replaceFile(auth, fileOf(others))
        await eventually("the end of the session", async () => {
          const answer = await context.request.get(`${gateway.url}/v1/mytenant/keys`)
          return answer.status() === 401
        })
        await fill(page, /^Grok patterns/, "%{GREEDYDATA:all}")
        await dialogOf(page).waitFor()
        await logIn(page, "vera")
        await account(page).filter({ hasText: "vera" }).waitFor()
        await rate(page).filter({ hasText: "4 of 4 lines match" }).waitFor()
        replaceFile(auth, fileOf(users))
        await context.close()
      })
    })
  )
})

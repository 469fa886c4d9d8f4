import { isDeepStrictEqual } from "node:util"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { replaceFile } from "../access/accessFiles.ts"
import { eventually } from "../support/process.ts"
import { controlsOf, pagesOf, telling } from "./controls.ts"
import { account, logIn, password, Setting, settingWith, users, visit } from "./login.ts"
import { configuration, type Given, may, prepare, type Role, roles } from "./rights.ts"

const tall = { width: 1280, height: 1600 }

layer(settingWith(configuration), { excludeTestServices: true })("rights", (it) => {
  let made: Promise<Given> | undefined

  const walk = (role: Role) =>
    it.effect(`of the role ${role} decide what can be done on each page`, () =>
      Effect.gen(function* () {
        const { browser, gateway } = yield* Setting
        yield* Effect.promise(async () => {
          made ??= prepare(gateway.url)
          const given = await made
          const complaints: Array<string> = []
          const wrong: Array<unknown> = []
          const context = await browser.newContext({ viewport: tall })
          const page = await visit(context, `${gateway.url}/console/guide/platform`, complaints)
          await logIn(page, role)
          await account(page).filter({ hasText: role }).waitFor()
          page.on("response", (response) => {
            // A page does not request data that its reader may not see.
            if (response.status() === 403) complaints.push(`${response.request().method()} ${response.url()}`)
          })
          // An extraction that this tab has started.
          await page.evaluate(
            ([flowline, execution]) => {
              const one = { tenant: "mytenant", flowline, execution, archive: "none", title: "a look" }
              sessionStorage.setItem("flow-console:/console/:extractions", JSON.stringify([one]))
            },
            [given.endless, given.live]
          )
          for (const { path, shows, needs = {} } of pagesOf(given)) {
            await page.goto(`${gateway.url}/console/${path}`)
            const isShown = async () => shows.test(await page.getByRole("main").ariaSnapshot())
            await eventually(`${path} shows ${shows}`, isShown).catch(({ message }) => wrong.push(message))
            const expected = Object.keys(needs)
              .filter((name) => may(role, needs[name]!))
              .sort()
            let found: ReadonlyArray<string> = []
            const isExpected = async () => {
              found = telling(await controlsOf(page), needs)
              return isDeepStrictEqual(found, expected)
            }
            await eventually(path, isExpected).catch(() =>
              wrong.push({
                path,
                lacks: expected.filter((one) => !found.includes(one)),
                adds: found.filter((one) => !expected.includes(one))
              })
            )
          }
          assert.deepStrictEqual({ wrong, complaints }, { wrong: [], complaints: [] })
          await context.close()
        })
      })
    )

  for (const role of roles) walk(role)

  it.effect("that are taken away while pages are open: the problem is shown, and what was typed stays", () =>
    Effect.gen(function* () {
      const { auth, browser, fileOf, gateway } = yield* Setting
      yield* Effect.promise(async () => {
        made ??= prepare(gateway.url)
        const given = await made
        const context = await browser.newContext({ viewport: tall })
        const complaints: Array<string> = []
        const at = (path: string) => visit(context, `${gateway.url}/console/${path}`, complaints)
        const page = await at(`flowlines/${given.flowline}`)
        await logIn(page, "developer")
        const text = page.getByRole("textbox", { name: /^Flowline\./ })
        await text.focus()
        await page.keyboard.press("ControlOrMeta+End")
        await page.keyboard.type("# typed before")
        const channel = await at("channels/shop")
        await channel.getByRole("button", { name: "Start shop", exact: true }).waitFor()
        const file = await at("data/registry/rights/one.txt")
        await file.getByRole("button", { name: "Delete", exact: true }).click()
        const dialog = file.getByRole("dialog", { name: /^Delete/ })
        await dialog.waitFor()

        replaceFile(auth, fileOf({ ...users, developer: { ...users.developer, roles: { mytenant: "viewer" } } }))
        const authorization = `Basic ${Buffer.from(`developer:${password}`).toString("base64")}`
        await eventually("the gateway's new roles", async () => {
          const answer = await fetch(`${gateway.url}/v1/mytenant/secrets`, { headers: { authorization } })
          return answer.status === 403
        })
        await dialog.getByRole("button", { name: "Delete", exact: true }).click()
        await dialog.getByRole("alert").filter({ hasText: "Your role here is viewer" }).waitFor()
        // The other pages are updated too: none offers an action that would be refused.
        await channel.getByRole("button", { name: "Start shop", exact: true }).waitFor({ state: "detached" })
        await page.getByRole("button", { name: "Save", exact: true }).waitFor({ state: "detached" })
        assert.include(await text.innerText(), "# typed before")
        // Keys of hidden controls have no effect.
        await text.focus()
        await page.keyboard.press("ControlOrMeta+s")
        await page.keyboard.type("and after")
        await file.keyboard.press("Escape")
        await dialog.waitFor({ state: "detached" })
        await file.getByRole("button", { name: "Delete", exact: true }).waitFor({ state: "detached" })
        await file.getByText("text", { exact: true }).first().waitFor()
        assert.notInclude(await text.innerText(), "and after")

        replaceFile(auth, fileOf(users))
        await eventually("the right is back", async () => {
          await page.reload()
          await page.getByRole("heading", { name: "Orders of the shop", level: 1 }).waitFor()
          return page.getByRole("button", { name: "Save", exact: true }).isVisible()
        })
        assert.include(await text.innerText(), "# typed before")
        assert.deepStrictEqual(complaints, [])
        await context.close()
      })
    })
  )
})

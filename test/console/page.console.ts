import { gzipSync } from "node:zlib"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { proxy } from "./proxy.ts"
import {
  Console,
  editor,
  escape,
  fill,
  noteShifts,
  open,
  rate,
  shiftsOf,
  soon,
  violations,
  visit,
  withoutTenant
} from "./support.ts"

const dialogs = ["Propose patterns", "Pattern bank", "History", "Share", "Use in a flowline"] as const

layer(Console.layer, { excludeTestServices: true })("the console", (it) => {
  for (const colorScheme of ["light", "dark"] as const) {
    it.effect(`has no fault that axe knows, in ${colorScheme} colours, wide and narrow`, () =>
      Effect.gen(function* () {
        const { gateway, browser } = yield* Console
        yield* Effect.promise(async () => {
          const { page, complaints } = await open(browser, `${gateway.url}/console/`, { colorScheme })
          await rate(page).filter({ hasText: "3 of 4 lines match" }).waitFor()
          assert.deepStrictEqual(await violations(page), [])
          await page.getByRole("row").filter({ hasText: "Caused by" }).click()
          await page.getByText("Does not match", { exact: true }).waitFor()
          assert.deepStrictEqual(await violations(page), [])
          await page.getByRole("radio", { name: "Fields" }).click()
          assert.deepStrictEqual(await violations(page), [])
          for (const name of dialogs) {
            await page.getByRole("button", { name, exact: true }).click()
            const dialog = page.getByRole("dialog")
            await dialog.waitFor()
            if (name === "Propose patterns") await dialog.getByRole("button", { name: "Use it" }).first().waitFor()
            if (name === "Pattern bank") {
              await dialog.getByRole("searchbox").fill("syslog")
              await dialog
                .getByRole("button", { name: /^SYSLOGBASE/ })
                .first()
                .click()
            }
            assert.deepStrictEqual([name, await violations(page)], [name, []])
            await escape(page, dialog)
          }
          await page.getByRole("button", { name: /^Tenant/ }).click()
          await page.getByRole("dialog", { name: "Tenant" }).waitFor()
          assert.deepStrictEqual(await violations(page), [])
          await escape(page, page.getByRole("dialog", { name: "Tenant" }))
          await fill(page, /^Grok patterns/, "%{NOSUCH}")
          await page.getByRole("alert").waitFor()
          assert.deepStrictEqual(await violations(page), [])
          await page.setViewportSize({ width: 320, height: 700 })
          assert.deepStrictEqual(await violations(page), [])
          // Only areas that scroll by themselves are wider than the window (WCAG 1.4.10).
          assert.isAtMost(await page.evaluate(() => document.documentElement.scrollWidth), 320)
          assert.deepStrictEqual(complaints, [])
          await page.context().close()
        })
      })
    )
  }

  it.effect("works below the prefix of a proxy, and keeps the chosen colours", () =>
    Effect.gen(function* () {
      const { gateway, browser } = yield* Console
      const { url } = yield* proxy(gateway.port)
      yield* Effect.promise(async () => {
        const { page, complaints } = await open(browser, `${url}/`)
        assert.strictEqual(withoutTenant(page.url()).replace(/#.*/, ""), `${url}/console/`)
        await rate(page).filter({ hasText: "3 of 4 lines match" }).waitFor()
        await page.getByRole("button", { name: "Pattern bank" }).click()
        await page.getByText(/\d+ patterns/).waitFor()
        await escape(page, page.getByRole("dialog"))
        await page.getByRole("button", { name: /^Colours/ }).click()
        await page.getByRole("button", { name: /^Colours/ }).click()
        await page.reload()
        await page.getByRole("button", { name: "Colours dark" }).waitFor()
        await soon(async () =>
          assert.strictEqual(await page.evaluate(() => document.documentElement.dataset["theme"]), "dark")
        )
        assert.deepStrictEqual(complaints, [])
        // A path with several segments is a page too: its addresses lead back.
        await page.goto(`${url}/console/no/such/page`)
        await page.getByRole("main").getByText("There is no such page").waitFor()
        assert.deepStrictEqual(complaints, [])
        await page.context().close()
      })
    })
  )

  it.effect("skips to its content, and chooses another tenant", () =>
    Effect.gen(function* () {
      const { gateway, browser } = yield* Console
      yield* Effect.promise(async () => {
        const { page } = await open(browser, `${gateway.url}/console/`)
        await page.keyboard.press("Tab")
        await page.getByRole("button", { name: "Skip to content" }).and(page.locator(":focus")).waitFor()
        await page.keyboard.press("Enter")
        await soon(async () => assert.strictEqual(await page.evaluate(() => document.activeElement?.id), "main"))
        await page.getByRole("button", { name: /^Tenant/ }).click()
        const dialog = page.getByRole("dialog", { name: "Tenant" })
        await dialog.getByRole("textbox").fill("nobody")
        await dialog.getByText("No tenant of yours has such a name.").waitFor()
        await page.keyboard.press("Enter")
        await dialog.getByRole("textbox").fill("other")
        await dialog.getByRole("button", { name: "othertenant" }).waitFor()
        await page.keyboard.press("Enter")
        await page.getByRole("button", { name: "Tenant othertenant" }).waitFor()
        await page.context().close()
      })
    })
  )

  it.effect("gives the focus back when a dialog is closed, and takes the dialog away before the next key", () =>
    visit("", async (page) => {
      const opener = page.getByRole("button", { name: /^Tenant/ })
      const dialog = page.getByRole("dialog", { name: "Tenant" })
      const text = editor(page, /^Grok patterns/)
      for (const close of [
        () => escape(page, dialog),
        async () => {
          await dialog.getByRole("button", { name: "Close" }).click()
          await dialog.waitFor({ state: "detached" })
        }
      ]) {
        await text.focus()
        await opener.click()
        await close()
        await opener.and(page.locator(":focus")).waitFor()
      }
      // The next key, however soon it is pressed, goes to the page without the dialog.
      const left = page.evaluate(
        () =>
          new Promise<string | undefined>((done) =>
            addEventListener("keyup", () => done(document.querySelector("dialog")?.outerHTML), { once: true })
          )
      )
      await opener.click()
      await dialog.waitFor()
      await page.keyboard.press("Escape")
      assert.isUndefined(await left)
      await page.keyboard.press("Enter")
      await dialog.waitFor()
    })
  )

  it.effect("loads at most 220 KB in gzip before its reader does anything, and does not move then", () =>
    Effect.gen(function* () {
      const { gateway, browser } = yield* Console
      yield* Effect.promise(async () => {
        const context = await browser.newContext()
        const page = await context.newPage()
        const bodies: Array<Promise<Buffer>> = []
        page.on("response", (response) => {
          if (response.url().includes("/console/")) bodies.push(response.body())
        })
        await page.addInitScript(noteShifts)
        await page.goto(`${gateway.url}/console/`)
        await rate(page).filter({ hasText: "3 of 4 lines match" }).waitFor()
        await page.waitForLoadState("networkidle")
        const sizes = (await Promise.all(bodies)).map((body) => gzipSync(body, { level: 9 }).length)
        assert.isAtMost(
          sizes.reduce((sum, size) => sum + size, 0),
          220_000
        )
        // Web Vitals rate values up to 0.1 as good.
        assert.isBelow(
          (await shiftsOf(page)).reduce((sum, { value }) => sum + value, 0),
          0.1
        )
        await context.close()
      })
    })
  )
})

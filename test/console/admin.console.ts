import { randomBytes } from "node:crypto"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import type { Page } from "playwright-core"
import { at, Console, escape, open, soon, violations, visit } from "./support.ts"

const views = ["Limits and use", "API keys", "Secrets", "Audit", "Gateways", "Retention"] as const

const hostile = '<img src=x onerror="globalThis.ran = 1">'

const send = async (url: string, path: string, init: RequestInit = {}) => {
  const answer = await fetch(url + path, { headers: { "content-type": "application/json" }, ...init })
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
  return answer
}

const makeKey = (url: string, name: string, more: object = {}) =>
  send(url, "/v1/mytenant/keys", { method: "POST", body: JSON.stringify({ name, role: "viewer", ...more }) })

layer(Console.layer, { excludeTestServices: true })("administration", (it) => {
  const inPage = (name: string, path: string, run: (page: Page, url: string) => Promise<void>) =>
    it.effect(name, () => visit(path, run))

  inPage(
    "makes a key that is shown once, uses it, and revokes it, by keyboard alone",
    "admin/keys",
    async (page, url) => {
      await page.getByRole("heading", { name: "A program needs a key" }).waitFor()
      await page.getByRole("button", { name: "Make a key" }).focus()
      await page.keyboard.press("Enter")
      const dialog = page.getByRole("dialog")
      await dialog.waitFor()
      // A form begins at its first field.
      await dialog.getByRole("textbox", { name: /^Name/ }).and(page.locator(":focus")).waitFor()
      await page.keyboard.type(`nightly ${hostile}`)
      await page.keyboard.press("Tab")
      await page.keyboard.type("viewer")
      // Tab stops: the end date, Cancel, and the button.
      for (let tabs = 0; tabs < 3; tabs++) await page.keyboard.press("Tab")
      await page.keyboard.press("Enter")
      const made = dialog.getByRole("textbox", { name: /^The key nightly/ })
      const key = await made.inputValue()
      assert.match(key, /^fgk_/)
      assert.strictEqual((await fetch(`${url}/v1/mytenant/flowline`, { headers: { "x-api-key": key } })).status, 200)
      assert.deepStrictEqual(await violations(page), [])
      await escape(page, dialog)
      const row = page.getByRole("row").filter({ hasText: hostile })
      await row.getByText("valid", { exact: true }).waitFor()
      // The key is nowhere on the page any more.
      assert.notInclude(await page.content(), key)
      assert.deepStrictEqual(await violations(page), [])
      await row.getByRole("button", { name: /^Revoke/ }).focus()
      await page.keyboard.press("Enter")
      await page.getByRole("dialog", { name: /^Revoke the key nightly/ }).waitFor()
      await page.keyboard.press("Tab")
      await page.keyboard.press("Tab")
      await page.keyboard.press("Enter")
      await row.getByText("revoked").waitFor()
      // The button is gone: the focus is on the table, not on nothing.
      await page.getByRole("grid", { name: "API keys" }).and(page.locator(":focus")).waitFor()
      // A key that is made after its form was closed is shown all the same: it cannot be shown again.
      const closedEarly = async (name: string) => {
        const { promise, resolve } = Promise.withResolvers<void>()
        await page.route(/\/v1\/mytenant\/keys/, (route) => promise.then(() => route.continue()))
        await page.getByRole("button", { name: "Make a key" }).click()
        await page.keyboard.type(name)
        await page.keyboard.press("Enter")
        await dialog.getByText("Close", { exact: true }).click()
        await dialog.waitFor({ state: "hidden" })
        return resolve
      }
      const answer = await closedEarly("late")
      // A dialog that was opened meanwhile stays open.
      const maker = page.getByRole("button", { name: "Make a key" }).first()
      await maker.click()
      await page.keyboard.type("next")
      answer()
      assert.match(await dialog.getByRole("textbox", { name: /^The key late/ }).inputValue(), /^fgk_/)
      await escape(page, page.getByRole("dialog", { name: /^The key late/ }))
      assert.strictEqual(await dialog.getByRole("textbox", { name: /^Name/ }).inputValue(), "next")
      // The button cannot take the focus, as when its right was withdrawn meanwhile.
      await maker.evaluate((button) => button.setAttribute("disabled", ""))
      await escape(page, dialog)
      await page.locator("#main:focus").waitFor()
      await maker.evaluate((button) => button.removeAttribute("disabled"))
      // Whoever has gone elsewhere is told that nobody has seen it.
      const later = await closedEarly("unseen")
      await page.getByRole("link", { name: "Secrets" }).click()
      later()
      await page.getByText("The key unseen was made, but could not be shown").waitFor()
    }
  )

  inPage("says which keys end soon, and sorts them", "admin/keys", async (page, url) => {
    await makeKey(url, "short", { expiresInDays: 2 })
    await makeKey(url, "long", { expiresInDays: 100 })
    await page.reload()
    await page.getByRole("row").filter({ hasText: "short" }).getByText("ends soon").waitFor()
    await page.getByRole("button", { name: "Ends" }).click()
    await page
      .getByRole("columnheader", { name: "Ends", exact: false })
      .and(page.locator("[aria-sort=ascending]"))
      .waitFor()
    const names = await page.getByRole("grid").getByRole("row").allInnerTexts()
    assert.isBelow(
      names.findIndex((text) => text.startsWith("short")),
      names.findIndex((text) => text.startsWith("long"))
    )
  })

  inPage("says why a secret cannot be set, and keeps what was typed", "admin/secrets", async (page) => {
    await page.getByRole("heading", { name: "Flowlines refer to secrets by name" }).waitFor()
    await page.getByRole("button", { name: "Set a secret" }).click()
    const dialog = page.getByRole("dialog")
    await dialog.getByRole("textbox", { name: /^Name/ }).fill("COLLECTOR_TOKEN")
    await dialog.getByRole("textbox", { name: /^Value/ }).fill("correct horse")
    await dialog.getByRole("button", { name: "Set a secret" }).click()
    await dialog.getByRole("alert").filter({ hasText: "FLOW_SECRETS_KEY_FILE" }).waitFor()
    assert.strictEqual(await dialog.getByRole("textbox", { name: /^Value/ }).inputValue(), "correct horse")
    assert.deepStrictEqual(await violations(page), [])
  })

  inPage("shows use against limits", "admin", async (page) => {
    const row = page.getByRole("row").filter({ hasText: "waitingExecutions" })
    await row.waitFor()
    await row.getByRole("progressbar", { name: /^waitingExecutions: 0%/ }).waitFor()
    await page.getByRole("status").filter({ hasText: "Nothing is near its limit" }).waitFor()
    await soon(async () => assert.strictEqual(await page.title(), "Limits and use · Administration · Flow Gateway"))
  })

  inPage("finds rows of the audit by conditions that the address holds", "admin/audit", async (page, url) => {
    await makeKey(url, "for the audit")
    await page.getByRole("button", { name: "Look again" }).click()
    await page.getByRole("row").filter({ hasText: "keys.create" }).first().waitFor()
    await page.getByRole("textbox", { name: "Action" }).fill("keys.revoke")
    await page.keyboard.press("Enter")
    const rows = page.getByRole("grid").getByRole("row")
    await page.getByRole("row").filter({ hasText: "keys.create" }).first().waitFor({ state: "detached" })
    await rows.nth(1).waitFor()
    await page.getByRole("combobox", { name: "Outcome" }).selectOption("refused")
    await page.getByRole("heading", { name: "Nothing of this" }).waitFor()
    await soon(async () => {
      assert.include(page.url(), "action=keys.revoke")
      assert.include(page.url(), "outcome=refused")
    })
    await page.goBack()
    await rows.nth(1).waitFor()
    await page.getByRole("button", { name: "Show all" }).click()
    await page.getByRole("row").filter({ hasText: "keys.create" }).first().waitFor()
    // A row, by keyboard: the newest is first.
    await page.getByRole("grid").focus()
    await page.keyboard.press("Home")
    await page.keyboard.press("Enter")
    const dialog = page.getByRole("dialog", { name: /^Row/ })
    await dialog
      .getByText(/^[0-9a-f]{64}$/)
      .first()
      .waitFor()
    assert.deepStrictEqual(await violations(page), [])
    await escape(page, dialog)
    await page.getByRole("radio", { name: "no tenant" }).check()
    await page.getByRole("heading", { name: "Nothing of this" }).waitFor()
    await page.waitForURL(/of=platform/)
  })

  inPage("goes back from conditions of the audit by one step, in its fields too", "admin/audit", async (page) => {
    const [who, action] = ["Who", "Action"].map((name) => page.getByRole("textbox", { name }))
    const steps = await page.evaluate(() => history.length)
    await who!.fill("nobody")
    await action!.fill("keys.create")
    await page.keyboard.press("Enter")
    await page.waitForURL(/principal=nobody&action=keys/)
    assert.strictEqual(await page.evaluate(() => history.length), steps + 1)
    await page.goBack()
    await page.waitForURL(at(/audit$/))
    for (const field of [who!, action!]) await soon(async () => assert.strictEqual(await field.inputValue(), ""))
    await page.goForward()
    await soon(async () => assert.strictEqual(await who!.inputValue(), "nobody"))
  })

  inPage("tells the gateways, what they need, and when old history goes", "admin/gateways", async (page) => {
    await page.getByRole("status").filter({ hasText: "ready" }).waitFor()
    await page.getByText("Storage of blobs").waitFor()
    await page.getByRole("row").filter({ hasText: "answers you" }).waitFor()
    await page.getByRole("link", { name: "Retention" }).click()
    await page.getByRole("row").filter({ hasText: "FLOW_KEEP_AUDIT" }).getByText("365 days").waitFor()
    await page.getByText("Next round of this gateway").waitFor()
    await page.goBack()
    await page.getByText("Storage of blobs").waitFor()
  })

  it.effect("sets, replaces and deletes a secret without ever showing it, and says which limit is reached", () =>
    Effect.gen(function* () {
      const { site, browser } = yield* Console
      yield* Effect.promise(async () => {
        const keys = join(site.data, "secret-keys")
        writeFileSync(keys, `one:${randomBytes(32).toString("base64")}\n`, { mode: 0o600 })
        const gateway = await site.start({ FLOW_SECRETS_KEY_FILE: keys, FLOW_TENANT_ENTRIES: "1" })
        const { page, complaints } = await open(browser, `${gateway.url}/console/admin/secrets`)
        const answers: Array<Promise<string>> = []
        page.on("response", (response) => answers.push(response.text().catch(() => "")))
        for (const [value, button] of [
          ["first value\nof two lines", "Set a secret"],
          ["second value", "New value COLLECTOR_TOKEN"]
        ] as const) {
          await page.getByRole("button", { name: button }).click()
          const dialog = page.getByRole("dialog")
          if (button === "Set a secret") await dialog.getByRole("textbox", { name: /^Name/ }).fill("COLLECTOR_TOKEN")
          await dialog.getByRole("textbox", { name: /^Value/ }).fill(value)
          await dialog.getByRole("button", { name: "Set a secret" }).click()
          await dialog.waitFor({ state: "detached" })
          const row = page.getByRole("row").filter({ hasText: "COLLECTOR_TOKEN" })
          await row.getByText("the store").waitFor()
          assert.notInclude(await page.content(), value)
          assert.notInclude(await page.evaluate(() => JSON.stringify({ ...localStorage })), value)
        }
        await page.getByRole("button", { name: "Delete COLLECTOR_TOKEN" }).click()
        await page.getByRole("dialog").getByRole("button", { name: "Delete", exact: true }).click()
        await page.getByRole("heading", { name: "Flowlines refer to secrets by name" }).waitFor()
        assert.notInclude((await Promise.all(answers)).join(), "second value")

        const form = new FormData()
        const flowline = [
          "runtime: stream",
          "dag:",
          "  - { type: generator_input, settings: { messages: [hello], count: 1 }, publish: [ { stream: out } ] }",
          "  - { type: show, settings: {}, subscribe: [ { component: generator_input, stream: out } ] }"
        ].join("\n")
        form.set("file", new Blob([flowline]), "one.yaml")
        const saved = await fetch(`${gateway.url}/v1/mytenant/flowline/save`, { method: "POST", body: form })
        assert.isTrue(saved.ok, await saved.text())
        await page.getByRole("link", { name: "Limits and use" }).click()
        await page.getByRole("status").filter({ hasText: "1 limit is reached" }).waitFor()
        // A reached limit comes first.
        const first = page.getByRole("row").nth(1)
        await first.getByRole("progressbar", { name: "storedVersions: 100%" }).waitFor()
        assert.deepStrictEqual(await violations(page), [])
        assert.deepStrictEqual(complaints, [])
        await page.context().close()
        await gateway.kill("SIGTERM")
      })
    })
  )

  it.effect("goes on when its gateway was away, and shows what it showed", () =>
    Effect.gen(function* () {
      const { site, browser } = yield* Console
      yield* Effect.promise(async () => {
        const gateway = await site.start()
        const { page } = await open(browser, `${gateway.url}/console/admin/keys`)
        await page.getByRole("button", { name: "Make a key" }).first().click()
        const dialog = page.getByRole("dialog")
        await dialog.getByRole("textbox", { name: /^Name/ }).fill("while away")
        await gateway.kill("SIGKILL")
        await dialog.getByRole("button", { name: "Make a key" }).click()
        await dialog.getByRole("alert").filter({ hasText: "does not answer" }).waitFor()
        const again = await site.start({ FLOW_PORT: String(gateway.port) })
        await page.getByText("What you type is kept").waitFor({ state: "detached" })
        assert.strictEqual(await dialog.getByRole("textbox", { name: /^Name/ }).inputValue(), "while away")
        await dialog.getByRole("button", { name: "Make a key" }).click()
        await dialog.getByRole("textbox", { name: /^The key while away/ }).waitFor()
        await page.context().close()
        await again.kill("SIGTERM")
      })
    })
  )

  for (const colorScheme of ["light", "dark"] as const) {
    it.effect(`has no fault that axe knows, in ${colorScheme} colours, wide and narrow`, () =>
      Effect.gen(function* () {
        const { gateway, browser } = yield* Console
        yield* Effect.promise(async () => {
          await makeKey(gateway.url, hostile)
          const { page, complaints } = await open(browser, `${gateway.url}/console/admin`, { colorScheme })
          const faults = async (page: Page) => {
            const found = await violations(page)
            const width = await page.evaluate(() => document.documentElement.scrollWidth)
            return width > page.viewportSize()!.width ? [...found, `wider than the window: ${width}`] : found
          }
          for (const width of [1280, 360]) {
            await page.setViewportSize({ width, height: 800 })
            for (const view of views) {
              await page.getByRole("navigation", { name: "Administration" }).getByRole("link", { name: view }).click()
              await page.getByRole("heading", { name: view, level: 2, exact: true }).waitFor()
              await page.getByText("Loading…").waitFor({ state: "detached" })
              assert.deepStrictEqual([width, view, await faults(page)], [width, view, []])
              if (process.env["SHOTS"] !== undefined) {
                await page.screenshot({ path: `${process.env["SHOTS"]}/${colorScheme}-${width}-${view}.png` })
              }
            }
          }
          assert.deepStrictEqual(complaints, [])
          await page.context().close()
        })
      })
    )
  }
})

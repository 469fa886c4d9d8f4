import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import type { Page } from "playwright-core"
import { count, found, index, markup, panel, query, table, writeAll } from "./documents.ts"
import { consoleOf, tenant } from "./pages.ts"
import { Console, editor, faultless, fill, open, violations, visit } from "./support.ts"

layer(consoleOf(), { excludeTestServices: true })("documents and indices", (it) => {
  const inPage = (name: string, path: string, run: (page: Page, url: string) => Promise<void>) =>
    it.effect(name, () => visit(path, run, { timezoneId: "Asia/Tokyo" }))

  it.effect("are written", () => Effect.flatMap(Console, ({ gateway }) => Effect.promise(() => writeAll(gateway.url))))

  inPage(
    "goes through 10,000 rows, of which only those that are seen are in the page",
    "search?columns=number&sort=number",
    async (page) => {
      await found(page, "10,401 documents")
      await table(page).focus()
      for (let loaded = 200; loaded < count; loaded += 200) {
        await page.keyboard.press("End")
        await page.waitForFunction(
          (rows) =>
            Number(
              document
                .querySelector('[role=grid][aria-label="Documents that were found"]')
                ?.getAttribute("aria-rowcount")
            ) > rows,
          loaded + 1
        )
      }
      await page.keyboard.press("End")
      await found(page, /^10,401 documents$/)
      assert.isBelow(await table(page).getByRole("row").count(), 60)
      await table(page).getByRole("row").filter({ hasText: "10399" }).waitFor()
    }
  )

  inPage("shows the values of a field, and hostile ones as text", "search", async (page) => {
    await page.getByRole("button", { name: /^Values of user\.name/ }).click()
    const values = page.getByRole("list", { name: "Most frequent values of user.name" })
    await values.getByText(markup).waitFor()
    assert.deepStrictEqual(await violations(page), [])
    await values.getByRole("button", { name: `Only user.name ${markup}` }).click()
    await found(page, "1 document")
    await table(page).getByText(markup).waitFor()
    await table(page).getByRole("row").nth(1).click()
    await panel(page).getByText(markup).first().waitFor()
    await fill(page, query, markup)
    await page.keyboard.press("Enter")
    await page.waitForURL(/q=%3Cimg/)
    await page.getByLabel("Index").fill(`${tenant}-nothing-${markup}`)
    await page.getByLabel("Index").press("Enter")
    await page.getByRole("alert").first().waitFor()
  })

  inPage(
    "saves what it finds as a file, with its progress, and cancels that",
    "search?q=status:500&columns=number,user.name",
    async (page, url) => {
      await found(page, "208 documents")
      await page.getByRole("button", { name: "Save as a file" }).click()
      const dialog = page.getByRole("dialog", { name: "Save as a file" })
      await dialog.getByText("writes 208 documents").waitFor()
      assert.strictEqual(
        await dialog.getByLabel("Fields, one on each line").inputValue(),
        "@timestamp\nnumber\nuser.name"
      )
      assert.deepStrictEqual(await violations(page), [])
      await dialog.getByLabel("Description").fill("failures")
      await dialog.getByRole("button", { name: "Save" }).click()
      const list = page.getByRole("list", { name: "Extractions of this tab" })
      await list.getByText("208 of 208 documents").waitFor()
      const link = list.getByRole("link", { name: "Download the zip" })
      await link.waitFor()
      assert.deepStrictEqual(await violations(page), [])
      const [download] = await Promise.all([page.waitForEvent("download"), link.click()])
      assert.isNull(await download.failure())
      await page.reload()
      await list.getByText("208 of 208 documents").waitFor()
      assert.include((await list.getByRole("link", { name: "Run" }).getAttribute("href")) ?? "", "/console/runs/")
      await list.getByRole("button", { name: "Forget failures" }).click()
      await list.waitFor({ state: "detached" })
      // Cancels one: its answers show that it runs until then.
      await page.route(/\/executions\//, async (route) => {
        if (route.request().method() !== "GET") return route.continue()
        const answer = await route.fetch()
        const detail = (await answer.json()) as Record<string, unknown>
        await route.fulfill({ response: answer, json: { ...detail, state: "RUNNING" } })
      })
      await page.getByRole("button", { name: "Save as a file" }).click()
      await dialog.getByRole("radio", { name: /^JSON/ }).check()
      await dialog.getByRole("button", { name: "Save" }).click()
      const [request] = await Promise.all([
        page.waitForRequest((one) => one.method() === "DELETE"),
        list.getByRole("button", { name: /^Cancel/ }).click()
      ])
      assert.match(request.url(), new RegExp(`^${url}/v1/${tenant}/flowline/[^/]+/executions/`))
    }
  )

  inPage(
    "lists the indices with their sizes, and deletes one or its older documents",
    "search?view=indices",
    async (page) => {
      const grid = page.getByRole("grid", { name: "Indices" })
      await grid
        .getByRole("row")
        .filter({ hasText: index })
        .filter({ hasText: "10,400" })
        .filter({ hasText: /[KM]iB/ })
        .waitFor()
      assert.deepStrictEqual(await violations(page), [])
      await page.getByRole("button", { name: `Delete ${tenant}-other` }).click()
      const dialog = page.getByRole("dialog", { name: `Delete ${tenant}-other` })
      await dialog.getByLabel("Only documents before").fill("no date")
      await dialog.getByRole("button", { name: "Delete" }).click()
      await dialog.getByRole("alert").filter({ hasText: /date/ }).waitFor()
      await dialog.getByLabel("Only documents before").fill("")
      await dialog.getByRole("button", { name: "Delete" }).click()
      await grid
        .getByRole("row")
        .filter({ hasText: `${tenant}-other` })
        .waitFor({ state: "detached" })
      await page.getByRole("link", { name: index }).click()
      await found(page, "10,400 documents")
    }
  )

  inPage("has no fault that axe knows, light and dark, wide and narrow", "search", async (page, url) => {
    await faultless(page, [
      [`${url}/console/search?q=disk`, table(page).getByText("disk")],
      [
        `${url}/console/search?columns=status,message&doc=mytenant-access/doc/00007&from=2026-03-10`,
        panel(page).getByText("disk")
      ],
      [`${url}/console/search?view=indices`, page.getByText("10,400")],
      [`${url}/console/search?q=none`, page.getByText("No document matches")]
    ])
  })

  it.effect("keeps what was typed while its gateway is away, and goes on when it is back", () =>
    Effect.gen(function* () {
      const { gateway, site, browser } = yield* Console
      yield* Effect.promise(async () => {
        const { page } = await open(browser, `${gateway.url}/console/search`)
        await found(page, "10,400 documents")
        await gateway.kill("SIGKILL")
        await fill(page, query, "status:500")
        await page.keyboard.press("Enter")
        await page.getByText("The gateway does not answer").first().waitFor()
        await fill(page, query, "status:500 AND flag:false")
        const again = await site.start({ FLOW_PORT: String(gateway.port) })
        await found(page, "208 documents")
        assert.include(await editor(page, query).innerText(), "status:500 AND flag:false")
        await page.getByRole("button", { name: "Search", exact: true }).click()
        await found(page, "208 documents")
        await page.context().close()
        await again.kill("SIGTERM")
      })
    })
  )
})

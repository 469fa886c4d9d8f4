import { assert, layer } from "@effect/vitest"
import { form } from "../../packages/client/src/promise.ts"
import { ended, endless, type Given, openRuns, orders, save, start, tenant, withGateway } from "./runs.ts"
import { at, Console, soon, violations, withoutTenant } from "./support.ts"

layer(Console.layer, { excludeTestServices: true })("runs", (it) => {
  const inGateway = (name: string, run: (given: Given) => Promise<void>) => it.effect(name, () => withGateway(run))

  inGateway(
    "are listed as they go, found by filters that the address has, and opened by keys",
    async ({ url, api, browser }) => {
      const { page, complaints } = await openRuns(browser, url, "")
      await page.getByText("Nothing has run yet").waitFor()
      assert.deepStrictEqual(await violations(page), [])
      const id = await save(api, orders)
      const first = await start(api, id)
      await ended(api, id, first)
      // Without any user action.
      const row = page
        .getByRole("grid", { name: "Runs", exact: true })
        .getByRole("row")
        .filter({ hasText: "Orders of the shop" })
      await row.filter({ hasText: "succeeded, with warnings" }).waitFor()
      const live = await save(api, endless)
      const running = await start(api, live)
      await page.getByRole("row").filter({ hasText: "Endless" }).filter({ hasText: "running" }).waitFor()
      const names = () => page.getByRole("grid").getByRole("row").nth(1).innerText()
      await soon(async () => assert.include(await names(), "Endless"))
      await page.getByLabel("State").selectOption("running")
      await row.waitFor({ state: "hidden" })
      await page.waitForURL(/state=RUNNING/)
      await page.reload()
      await page.getByText("1 run, the newest first").waitFor()
      await page.getByRole("button", { name: "Clear filters" }).click()
      await row.waitFor()
      await page.getByLabel("Outcome").selectOption("nothing written")
      await page.getByText("No run fits these filters").waitFor()
      await page.getByRole("button", { name: "Clear filters" }).click()
      await row.waitFor()
      await page.getByRole("grid").focus()
      await page.keyboard.press("ArrowDown")
      await page.keyboard.press("ArrowDown")
      await page.keyboard.press("Enter")
      await page.getByRole("heading", { level: 1, name: "Orders of the shop" }).waitFor()
      await page.waitForURL(({ pathname }) => pathname.endsWith(`/console/runs/${id}/${first}`))
      await page.goBack()
      await row.waitFor()
      await api.executions.cancel({ params: { tenant, flowlineId: live, executionId: running } })
      assert.deepStrictEqual(complaints, [])
      await page.context().close()
    }
  )

  inGateway("show what goes through each edge while they run, and are cancelled", async ({ url, api, browser }) => {
    const live = await save(api, endless)
    const running = await start(api, live)
    const { page, complaints } = await openRuns(browser, url, `/${live}/${running}`)
    const graph = page.getByRole("region", { name: "What goes through the nodes" })
    // A rate other than 0: the edges of both streams of the node have separate rates.
    for (const stream of ["all", "ones", "others"]) {
      await graph.getByRole("button", { name: new RegExp(`${stream}\\s+[1-9][\\d.,]*/s`) }).waitFor()
    }
    await graph
      .getByText(/^in [1-9]/)
      .first()
      .waitFor()
    await graph.getByRole("radio", { name: "List" }).click()
    const ways = graph.getByRole("listitem").filter({ hasText: "dispatch" })
    await ways.getByText(/nothing waits|waiting/).waitFor()
    await ways.getByRole("button", { name: "ways" }).press("Enter")
    await page.getByRole("region", { name: "ways" }).getByText("Out on ones").waitFor()
    assert.deepStrictEqual(await violations(page), [])
    await graph.getByRole("radio", { name: "Picture" }).click()
    await page.getByRole("button", { name: "Cancel the run" }).press("Enter")
    const dialog = page.getByRole("dialog", { name: "Cancel this run?" })
    await dialog.getByRole("button", { name: "Cancel the run" }).press("Enter")
    await page.getByText("The run was cancelled").waitFor()
    await page.getByText("It was cancelled.").waitFor()
    assert.strictEqual((await ended(api, live, running)).state, "CANCELLED")
    assert.deepStrictEqual(complaints, [])
    await page.context().close()
  })

  inGateway("say what came of them, which records failed and where, and run again", async ({ url, api, browser }) => {
    const id = await save(api, orders)
    const first = await start(api, id)
    await ended(api, id, first)
    const { page, complaints } = await openRuns(browser, url, `/${id}/${first}`)
    await page.getByText("5 read, 6 written, 1 rejected, 0 dropped").waitFor()
    await page.getByRole("listitem").getByText("parse rejected 1 of 5 records").first().waitFor()
    await page.getByText("The run ended").waitFor()
    await page.getByRole("link", { name: "Failed records (1)" }).click()
    await page.getByText("1 rejected, 20% of 5").waitFor()
    await page.getByRole("button", { name: "Find them by a try" }).click()
    await page.getByRole("gridcell", { name: "samples/orders.log:5" }).waitFor()
    await page.getByRole("grid").focus()
    await page.keyboard.press("ArrowDown")
    await page.keyboard.press("Enter")
    await page.getByRole("region", { name: "Record" }).getByText("does not match at offset 21").first().waitFor()
    assert.deepStrictEqual(await violations(page), [])
    await page.getByRole("link", { name: "Written to the entry failed.ndjson of the archive" }).click()
    await page
      .getByRole("region", { name: "failed.ndjson" })
      .getByRole("gridcell", { name: "samples/orders.log" })
      .waitFor()
    await page.goBack()
    await page.getByRole("link", { name: "Open the flowline" }).click()
    await page.waitForURL(at(new RegExp(`/console/flowlines/${id}$`)))
    await page.goBack()
    await page.getByRole("link", { name: "Overview" }).click()

    await page.getByRole("button", { name: "Run again" }).click()
    await page.waitForURL((address) => !address.pathname.endsWith(first))
    await page.getByText("succeeded, with warnings").first().waitFor()
    await page.getByRole("button", { name: "Run with other parameters" }).click()
    const dialog = page.getByRole("dialog", { name: "Run with other parameters" })
    await dialog.getByLabel("least").fill("-1")
    await page.keyboard.press("Enter")
    await dialog.getByRole("alert").getByText("/parameters/least").waitFor()
    assert.deepStrictEqual(await violations(page), [])
    await dialog.getByLabel("least").fill("20")
    await page.keyboard.press("Enter")
    await dialog.waitFor({ state: "detached" })
    await page.getByText("succeeded, with warnings").first().waitFor()
    // The version of the compared run, and its parameters.
    await save(api, orders)
    await page.getByRole("link", { name: "Compare" }).click()
    await page.getByLabel("Compare with").selectOption({ index: 1 })
    const values = page.getByRole("row", { name: /^Parameter least/ })
    await values.filter({ hasText: "20" }).filter({ hasText: /1$/ }).waitFor()
    await page
      .getByRole("grid", { name: "Nodes of both runs" })
      .getByRole("row", { name: /^parse/ })
      .getByText("5 / 5")
      .waitFor()
    assert.deepStrictEqual(await violations(page), [])
    await page.getByRole("button", { name: "Delete" }).click()
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click()
    await page.getByRole("grid", { name: "Runs", exact: true }).waitFor()
    assert.strictEqual((await api.executions.listOf({ params: { tenant, id }, query: {} })).length, 2)
    assert.deepStrictEqual(complaints, [])
    await page.context().close()
  })

  inGateway("link to what has changed between the versions of two of them", async ({ url, api, browser }) => {
    const id = await save(api, orders)
    await ended(api, id, await start(api, id))
    await api.flowlines.save({
      params: { tenant },
      query: { id },
      payload: form({ file: [orders.replace("default: 1", "default: 2"), "f.yaml"] })
    })
    const second = await start(api, id)
    await ended(api, id, second)
    const { page } = await openRuns(browser, url, `/${id}/${second}?view=compare`)
    const link = page.getByRole("link", { name: "What changed from version 1 to 2" })
    assert.include(withoutTenant((await link.getAttribute("href")) ?? ""), `flowlines/${id}/versions?from=1&to=2`)
    await page.context().close()
  })

  inGateway("have no fault that axe knows, dark and light, wide and narrow", async ({ url, api, browser }) => {
    const id = await save(api, orders)
    const run = await start(api, id)
    await ended(api, id, run)
    for (const options of [
      { colorScheme: "dark" as const },
      { colorScheme: "light" as const, viewport: { width: 360, height: 740 } }
    ]) {
      const { page, complaints } = await openRuns(browser, url, "", options)
      for (const path of [
        "",
        "?view=archives",
        "?view=files",
        ...["overview", "output", "failed", "archive", "compare"].map((view) => `/${id}/${run}?view=${view}`)
      ]) {
        await page.goto(`${url}/console/runs${path}`)
        await page.getByRole("heading", { level: 1 }).waitFor()
        await page.waitForLoadState("networkidle")
        assert.deepStrictEqual([path, await violations(page)], [path, []])
        assert.isAtMost(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth), 0)
      }
      assert.deepStrictEqual(complaints, [])
      await page.context().close()
    }
  })
})

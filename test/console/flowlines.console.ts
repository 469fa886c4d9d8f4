import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import type { Page } from "playwright-core"
import {
  boxOf,
  cursorBehind,
  execute,
  flowline,
  openFlowlines,
  problems,
  saved,
  text,
  textOf
} from "./flowlinePages.ts"
import { at, Console, fill, soon, typesInto, violations } from "./support.ts"

/** The completions that the editor offers. */
const offered = (page: Page) => page.locator(".cm-tooltip-autocomplete").getByRole("option")

layer(Console.layer, { excludeTestServices: true })("flowlines", (it) => {
  const inPage = (
    name: string,
    path: string | ((url: string) => Promise<string>),
    run: (seen: Awaited<ReturnType<typeof openFlowlines>> & { readonly url: string }) => Promise<void>
  ) =>
    it.effect(name, () =>
      Effect.gen(function* () {
        const { gateway, browser } = yield* Console
        const { url } = gateway
        const at = typeof path === "string" ? path : yield* Effect.promise(() => path(url))
        const seen = yield* Effect.acquireRelease(
          Effect.promise(() => openFlowlines(browser, url, at)),
          ({ page }) => Effect.promise(() => page.context().close())
        )
        yield* Effect.promise(() => run({ ...seen, url }))
        assert.deepStrictEqual(seen.complaints, [])
      })
    )

  inPage(
    "begin with an example: drawn, tried, saved, changed, compared, restored and run",
    "",
    async ({ page, url }) => {
      await page.getByText("No flowlines yet").waitFor()
      assert.deepStrictEqual(await violations(page), [])
      await page.getByRole("main").getByRole("link", { name: "New flowline" }).first().click()
      await boxOf(page, "parse").waitFor()
      await problems(page).getByText("No problems").waitFor()
      for (const stream of ["lines from lines to parse", "parsed from parse to failed"]) {
        await page.getByRole("button", { name: stream }).waitFor()
      }

      // Tried: records at every edge.
      await page.getByRole("button", { name: "Try it" }).click()
      await page.getByRole("textbox", { name: "Sample for lines" }).fill("10.0.0.9 GET /x 500\nnothing of it")
      await page.getByRole("button", { name: "Try", exact: true }).click()
      await page.getByRole("button", { name: "parsed · 1 from parse to failed" }).click()
      const records = page.getByRole("grid", { name: "parse · parsed → failed" })
      await records.getByRole("row").filter({ hasText: "10.0.0.9" }).filter({ hasText: "500" }).waitFor()
      await boxOf(page, "parse").filter({ hasText: "1 rejected" }).click()
      await page.getByRole("grid", { name: "Rejected by parse" }).getByText("nothing of it", { exact: true }).waitFor()

      // Saved.
      await page.getByRole("button", { name: "Save" }).click()
      await page.getByText("Version 1, saved").waitFor()
      const id = new URL(page.url()).pathname.split("/").at(-1)!
      assert.strictEqual(
        (await textOf(url, id)).text,
        await text(page)
          .innerText()
          .then(() => textOf(url, id).then((one) => one.text))
      )

      // A form changes its part of the text, and nothing else.
      await boxOf(page, "failed").click()
      await page.getByRole("button", { name: "Node at the cursor" }).click()
      const before = (await textOf(url, id)).text
      const where = page.getByRole("textbox", { name: /^where/ })
      await where.fill("status >= 500 and client != null")
      await page.getByRole("button", { name: "Save" }).click()
      await page.getByText("Version 2, saved").waitFor()
      assert.strictEqual(
        (await textOf(url, id)).text,
        before.replace("status >= 400", "status >= 500 and client != null")
      )

      // Compared and restored.
      await page.getByRole("link", { name: "Versions" }).click()
      const difference = page.getByRole("region", { name: "From version 1 to 2" })
      await difference.getByText("/settings/where").waitFor()
      await difference.getByText("status >= 500 and client != null").first().waitFor()
      assert.deepStrictEqual(await violations(page), [])
      await page.getByRole("grid", { name: "Versions" }).getByRole("row").filter({ hasText: "Version 1" }).click()
      await page.getByRole("button", { name: "Restore version 1" }).click()
      await page.getByRole("dialog").getByRole("button", { name: "Restore" }).click()
      await page.getByText("Version 3 is the text of version 1").first().waitFor()
      assert.strictEqual((await textOf(url, id)).text, before)
      await page.getByRole("grid", { name: "Versions" }).getByText("restores 1").waitFor()

      // Run: it leads to the run.
      await page.getByRole("link", { name: "Text and DAG" }).click()
      await page.getByRole("button", { name: "Run", exact: true }).click()
      await page.getByRole("dialog").getByRole("button", { name: "Run" }).click()
      await page.waitForURL(at(new RegExp(`/console/runs/${id}/${id}-\\d+$`)))
      await page.goBack()
      await page.getByText("Version 3, saved").waitFor()
    }
  )

  inPage(
    "are found in a list with their last runs, by name, node and order",
    async (url) => {
      const ids = []
      for (const name of ["alpha", "beta"]) ids.push(await saved(url, flowline(name)))
      await execute(url, ids[0]!)
      await saved(
        url,
        "runtime: stream\nname: gamma\ndag:\n  - { type: generator_input, settings: { count: 1, messages: [x] }, publish: [ { stream: out } ] }\n  - { type: archive_output, settings: { entry: a.ndjson }, subscribe: [ { component: generator_input, stream: out } ] }\n"
      )
      return ""
    },
    async ({ page }) => {
      const list = page.getByRole("grid", { name: "Flowlines" })
      await list.getByRole("img", { name: /Last 1 run of alpha: 0 failed, the last one succeeded/ }).waitFor()
      await list.getByRole("row").filter({ hasText: "beta" }).getByText("not run yet").waitFor()
      assert.deepStrictEqual(await violations(page), [])
      await list.getByRole("button", { name: "Name" }).click()
      const names = async () =>
        (await list.getByRole("link").allInnerTexts()).filter((name) => /^(alpha|beta|gamma)$/.test(name))
      await soon(async () => assert.deepStrictEqual(await names(), ["alpha", "beta", "gamma"]))
      await list.getByRole("button", { name: "Name" }).click()
      await soon(async () => assert.deepStrictEqual(await names(), ["gamma", "beta", "alpha"]))
      await page.getByRole("searchbox").fill("archive_output")
      await page.getByText(/^1 of /).waitFor()
      await soon(async () => assert.deepStrictEqual(await names(), ["gamma"]))
      await page.waitForURL(/q=archive_output/)
      await list.getByRole("link", { name: "gamma" }).click()
      await page.getByRole("heading", { name: "gamma" }).waitFor()
      await page.goBack()
      await page.getByText(/^1 of /).waitFor()
    }
  )

  inPage("show faults at their lines while somebody types, and where the DAG has them", "/new", async ({ page }) => {
    await problems(page).getByText("No problems").waitFor()
    await fill(page, /^Flowline\./, flowline("typed").replace("patterns:", "paterns:"))
    const fault = problems(page).getByRole("button", { name: /There is no "paterns" here/ })
    await fault.waitFor()
    await text(page).locator(".fault[title*=paterns]").waitFor()
    await boxOf(page, "parse").filter({ hasText: "paterns" }).waitFor()
    await fault.click()
    assert.match(await fault.innerText(), /^14:7/)
    await typesInto(page, /^Flowline\./)
    for (let at = 0; at < 2; at++) await page.keyboard.press("ArrowRight")
    await page.keyboard.type("t")
    await problems(page).getByText("No problems").waitFor()
    // A syntax fault is shown immediately, and the DAG stays.
    await fill(page, /^Flowline\./, flowline("typed").replace("{ stream: errors } ]", "{ stream: errors }"))
    await problems(page).getByRole("button").first().waitFor()
    await page.getByText("of the last text without faults").waitFor()
    assert.strictEqual(await page.locator("[data-node]").count(), 4)
    assert.deepStrictEqual(await violations(page), [])
  })

  inPage("complete by the schemas: types, settings, values, nodes and streams", "/new", async ({ page }) => {
    const typed = async (lines: string, options: ReadonlyArray<string>, more = "") => {
      await fill(page, /^Flowline\./, flowline("typed"))
      await cursorBehind(page, "subscribe: [ { component: failed")
      await page.keyboard.insertText(`\n${lines}`)
      await page.keyboard.type(more)
      for (const option of options)
        await offered(page)
          .filter({ hasText: new RegExp(`^${option}`) })
          .waitFor()
      return offered(page).allInnerTexts()
    }
    await typed("  - type: ", ["geoip"], "geo")
    // Enter ends the line in the first 75 ms of a list, because somebody who types has not seen the list.
    await page.waitForTimeout(100)
    await page.keyboard.press("Enter")
    await text(page).getByText("type: geoip").waitFor()
    await typed("  - type: grok\n    settings:\n      ", ["timeout_millis"], "time")
    await page.locator(".cm-completionInfo").getByText("Processor time in milliseconds").waitFor()
    await page.keyboard.press("Tab")
    await text(page)
      .locator(".cm-line")
      .filter({ hasText: /^ +timeout_millis: $/ })
      .waitFor()
    const values = await typed("  - type: grok\n    settings:\n      ecs_compatibility: ", ["v1"], "v")
    assert.isFalse(values.some((value) => value.startsWith("disabled")))
    await typed("  - type: show\n    component: other\n    subscribe: [ { component: ", ["parse"], "pa")
    await typed("  - type: show\n    component: other\n    subscribe: [ { component: parse, stream: ", ["errors"], "er")
    await typed("  - type: grok\n    component: other\n    pub", ["publish"], "l")
  })
})

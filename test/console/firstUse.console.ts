import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import type { Page } from "playwright-core"
import { connect } from "../../packages/client/src/promise.ts"
import { flowline, openFlowlines, problems, saved, tenant } from "./flowlinePages.ts"
import { ended, save, start } from "./runs.ts"
import { Console, fill, open, soon } from "./support.ts"

const untimed = `
name: Without times
runtime: stream
dag:
  - { type: generator_input, settings: { messages: [ { id: "1", a: 1 } ], count: 1 }, publish: [ { stream: out } ] }
  - { type: search_output, settings: { index: mytenant-untimed, id_field: id }, subscribe: [ { component: generator_input, stream: out } ] }
`

/** The times in tables whose cells are too narrow for them. */
const cutTimes = (page: Page) =>
  page
    .locator("[role=gridcell]:has(time)")
    .evaluateAll((cells) => cells.filter((cell) => cell.scrollWidth > cell.clientWidth).map((cell) => cell.textContent))

layer(Console.layer, { excludeTestServices: true })("what somebody sees who begins", (it) => {
  const scenario = (name: string, run: (given: typeof Console.Service) => Promise<void>) =>
    it.effect(name, () =>
      Effect.gen(function* () {
        const given = yield* Console
        yield* Effect.promise(() => run(given))
      })
    )

  scenario("a refused save, until the text is another one", async ({ gateway: { url }, browser }) => {
    const { page } = await openFlowlines(browser, url, "/new")
    const refusal = page.getByRole("alert").filter({ hasText: "The flowline cannot be run" })
    await fill(page, /^Flowline\./, flowline("typo").replace("type: grok", "type: grokk"))
    await page.getByRole("button", { name: "Save", exact: true }).click()
    await refusal.waitFor()
    await fill(page, /^Flowline\./, flowline("typo"))
    await problems(page).getByText("No problems").waitFor()
    assert.strictEqual(await refusal.count(), 0)
    await page.context().close()
  })

  scenario("the node at the cursor, before the nodes are known", async ({ gateway: { url }, browser }) => {
    const context = await browser.newContext()
    let letThrough = () => {}
    const held = new Promise<void>((done) => {
      letThrough = done
    })
    await context.route(/\/flowline\/scan\b/, async (route) => {
      await held
      await route.continue()
    })
    const page = await context.newPage()
    await page.goto(`${url}/console/flowlines/new`)
    const node = page.getByRole("region", { name: "Node lines" })
    await node.waitFor()
    assert.strictEqual(await node.getByText("Loading…").count(), 1)
    letThrough()
    await node.getByText("Generates records at a steady rate").waitFor()
    await context.close()
  })

  scenario("times in full, in the chosen row too", async ({ gateway: { url }, browser }) => {
    const id = await saved(url, flowline("scheduled"))
    await fetch(`${url}/v1/${tenant}/schedules/nightly`, {
      method: "PUT",
      headers: { "content-type": "application/json" },
      // A time with two digits everywhere.
      body: JSON.stringify({ flowline: id, trigger: { cron: "50 22 28 12 *" } })
    })
    const { page } = await openFlowlines(browser, url, `/${id}/schedules`)
    const row = page.getByRole("row").filter({ hasText: "nightly" })
    await row.click()
    await row.and(page.locator("[aria-selected=true], [aria-current]")).waitFor()
    assert.deepStrictEqual(await cutTimes(page), [])
    await page.getByRole("link", { name: "Versions" }).click()
    await page.locator("[role=gridcell] time").first().waitFor()
    assert.deepStrictEqual(await cutTimes(page), [])
    await page.context().close()
  })

  scenario("the current view, in a narrow window too", async ({ gateway: { url }, browser }) => {
    const { page } = await open(browser, `${url}/console/admin/retention`, { viewport: { width: 380, height: 760 } })
    const current = page.getByRole("main").locator("nav [aria-current]")
    for (const name of ["Retention", "Limits and use"]) {
      await page
        .getByRole("main")
        .getByRole("navigation")
        .getByRole("link", { name })
        .evaluate((link) => (link as HTMLElement).click())
      await current.filter({ hasText: name }).waitFor()
      await soon(async () => {
        const { left, right } = await current.evaluate((link) => link.getBoundingClientRect().toJSON())
        assert.isTrue(left >= 0 && right <= 380, `${name}: ${left} to ${right}`)
      })
    }
    await page.context().close()
  })

  scenario("names without blanks, broken in a narrow window", async ({ gateway: { url }, browser }) => {
    const long = "order_service_".repeat(8)
    const id = await saved(url, flowline(long).replaceAll(": lines", `: ${long}`))
    const { page } = await openFlowlines(browser, url, `/${id}`, { viewport: { width: 380, height: 760 } })
    await page.getByRole("button", { name: "Try it" }).click()
    const sample = page.getByRole("textbox", { name: `Sample for ${long}` })
    await sample.waitFor()
    const widthOf = () => page.evaluate(() => document.documentElement.clientWidth)
    assert.isAtMost(await sample.evaluate((area) => area.getBoundingClientRect().right), await widthOf())
    await page.getByRole("button", { name: "Delete", exact: true }).click()
    const dialog = page.getByRole("dialog").filter({ hasText: long })
    await dialog.waitFor()
    assert.isTrue(await dialog.evaluate((box) => box.scrollWidth <= box.clientWidth))
    await page.context().close()
  })

  scenario("each of many flowlines by name, among the runs", async ({ gateway: { url }, browser }) => {
    const context = await browser.newContext()
    await context.route(/\/v1\/mytenant\/flowline(\?|$)/, (route) => {
      const limit = Number(new URL(route.request().url()).searchParams.get("limit") ?? 5000)
      const all = Array.from({ length: 5000 }, (_, at) => ({ id: `id${at}`, flowline: { name: `flowline ${at}` } }))
      return route.fulfill({ json: all.slice(0, limit) })
    })
    const page = await context.newPage()
    await page.goto(`${url}/console/runs`)
    const flowlines = page.getByRole("combobox", { name: "Flowline" })
    await flowlines.locator("option[value=id0]").waitFor({ state: "attached" })
    assert.strictEqual(await flowlines.locator("option[value=id4999]").count(), 1)
    // Whoever comes back to the list is where the flowline was.
    await page.getByRole("link", { name: "Flowlines", exact: true }).click()
    const table = page.getByRole("grid", { name: "Flowlines" })
    await table.getByRole("button", { name: "Name" }).click()
    await table.getByRole("link", { name: "flowline 0", exact: true }).waitFor()
    await table.evaluate((box) => {
      box.scrollTop = box.scrollHeight
    })
    await table.getByRole("link", { name: "flowline 4999" }).click()
    await table.waitFor({ state: "detached" })
    await page.goBack()
    await table.getByRole("link", { name: "flowline 4999" }).waitFor()
    await context.close()
  })

  scenario("why documents are not shown over time", async ({ gateway: { url }, browser }) => {
    const api = connect(url)
    const id = await save(api, untimed)
    await ended(api, id, await start(api, id))
    const { page } = await open(browser, `${url}/console/search`)
    await page.getByText("None of these documents has a time in the field @timestamp").waitFor()
    await page.context().close()
  })
})
